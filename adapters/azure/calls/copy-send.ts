import type { CopySource } from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { AzureClient } from '../client.ts';
import type { CopySources } from '../copy-source.ts';
import { blobPath } from '../endpoint.ts';
import { revisionOf } from '../headers.ts';
import type { AzureRequest } from '../request.ts';
import type { WireHeaders } from '../../shared/wire/transport.ts';

/** Headers that name the source of a copy and pin its revision. */
export async function sourceHeaders(sources: CopySources, source: CopySource, call: Call): Promise<string[]> {
  return ['x-ms-copy-source', await sources.url(source, call), 'x-ms-source-if-match', source.revision];
}

/**
 * Sends a request that copies. When the service says "the source's condition is not met", the source may also be gone;
 * and some answers leave open whose condition or whose container they mean. In these cases the source is looked at.
 */
export async function sendCopy(
  client: AzureClient,
  request: AzureRequest,
  source: CopySource,
  call: Call,
): Promise<WireHeaders> {
  try {
    return await client.rest.sendForHeaders(request, call);
  } catch (error) {
    const isOpen = isStoreError(error, 'conditionFailed') && error.detail.code === 'ConditionNotMet';
    if (isOpen || isStoreError(error, 'sourceConditionFailed', 'containerNotFound')) {
      await checkSource(client, source, call);
    }
    throw error;
  }
}

/** Does the source still stand at its revision? @throws StoreError sourceNotFound, sourceConditionFailed */
export async function checkSource(client: AzureClient, source: CopySource, call: Call): Promise<void> {
  if ((await sourceRevision(client, source, call)) !== source.revision) {
    throw new StoreError('sourceConditionFailed', { call: 'copy' });
  }
}

/**
 * Reads the source's revision, without a condition: the emulator answers 412, not 404, when a condition meets nothing.
 */
async function sourceRevision(client: AzureClient, source: CopySource, call: Call): Promise<string> {
  const path = blobPath(client.endpoint, source);
  try {
    return revisionOf(
      await client.rest.sendForHeaders({ call: 'copySource', method: 'HEAD', path, effect: 'read' }, call),
    );
  } catch (error) {
    if (!isStoreError(error, 'notFound', 'containerNotFound')) throw error;
    throw new StoreError('sourceNotFound', { ...error.detail, cause: error });
  }
}
