import type { BlobRef, CopyRequest, WriteResult } from '../../../src/store/blob-store.ts';
import { withSignal } from '../../../src/observe/call.ts';
import type { Call } from '../../../src/observe/call.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import type { AzureClient } from '../client.ts';
import type { CopySources } from '../copy-source.ts';
import { blobPath } from '../endpoint.ts';
import { conditionHeaders, metadataHeaders } from '../headers.ts';
import { splitRange } from '../split-range.ts';
import { checkSource, sendCopy, sourceHeaders } from './copy-send.ts';
import { putBlockFrom, putBlockList } from './stage.ts';
import { writeResult } from './write.ts';

export interface Copy extends CopyRequest {
  readonly target: BlobRef;
}

/**
 * Copies inside the account, the service moving the bytes.
 *
 * One atomic call where the target's headers are the source's; else blocks on the target's name and one
 * commit, because no single call that the emulator has takes other content headers. Another writer's
 * commit to the target throws such blocks away: `partsGone`, and the caller starts again.
 */
export async function copy(client: AzureClient, sources: CopySources, request: Copy, call: Call): Promise<WriteResult> {
  if (isOneCall(client, request)) return copyFromUrl(client, sources, request, call);
  const { target, headers, metadata, md5, condition } = request;
  const tokens = request.size === 0 ? await checkEmptySource(client, request, call) : await stageSource(client, sources, request, call);
  const assembly = { call: 'copy', target, tokens, headers, metadata, ...(md5 === undefined ? {} : { md5 }), ...(condition === undefined ? {} : { condition }) };
  return putBlockList(client, assembly, call);
}

/** Copy Blob From URL takes the source's metadata if none is named, and its MD5 in any case. */
function isOneCall(client: AzureClient, request: Copy): boolean {
  return request.sameHeaders === true && request.size <= client.limits.maxSyncCopy && Object.keys(request.metadata).length > 0;
}

/** Copy Blob From URL. */
async function copyFromUrl(client: AzureClient, sources: CopySources, request: Copy, call: Call): Promise<WriteResult> {
  const headers = await sendCopy(
    client,
    {
      call: 'copy',
      method: 'PUT',
      path: blobPath(client.endpoint, request.target),
      ms: [...(await sourceHeaders(sources, request.source, call)), ...metadataHeaders(request.metadata), 'x-ms-requires-sync', 'true'],
      ...conditionHeaders(request.condition),
      effect: 'change',
      copies: true,
    },
    request.source,
    call,
  );
  return writeResult(headers, undefined, 'copy');
}

/** Put Block From URL for every range of the source; the first failure ends the others. */
async function stageSource(client: AzureClient, sources: CopySources, request: Copy, call: Call): Promise<string[]> {
  const { copyRange, maxStagedBlock, copyParallel } = client.limits;
  const ranges = splitRange({ first: 0, last: request.size - 1 }, Math.min(copyRange, maxStagedBlock));
  const stop = new AbortController();
  const inner = withSignal(call, AbortSignal.any([call.signal, stop.signal]));
  try {
    return await inParallel(ranges, copyParallel, (range) =>
      putBlockFrom(client, sources, { target: request.target, source: request.source, range, call: 'copy' }, inner),
    );
  } catch (error) {
    stop.abort();
    throw error;
  }
}

/** There is no block of no bytes, so an empty source is looked at instead: its revision must still stand. */
async function checkEmptySource(client: AzureClient, { source }: Copy, call: Call): Promise<string[]> {
  await checkSource(client, source, call);
  return [];
}
