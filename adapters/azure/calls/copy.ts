import {
  ABSENT,
  type BlobRef,
  type CopyRequest,
  type RehydrateRequest,
  type WriteResult,
} from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { AzureClient } from '../client.ts';
import { blobPath } from '../endpoint.ts';
import { conditionHeaders, contentHeaders, metadataHeaders, tierHeader } from '../headers.ts';
import { md5ToBase64 } from '../../shared/md5.ts';
import { checkSource, sendCopy, sourceHeaders } from './copy-send.ts';
import { byUrlOrThroughHere, streamCopy } from './copy-stream.ts';
import { putBlockList } from './stage.ts';
import { writeResult } from './write.ts';

interface Copy extends CopyRequest {
  readonly target: BlobRef;
}

/**
 * Copies inside the account, the service moving the bytes, in one atomic call. Never by blocks: those would lie on the
 * target's own name, where clients see what becomes of them.
 *
 * Copy Blob From URL gives the target the source's content headers and MD5; Put Blob From URL takes others, and larger
 * sources (https://learn.microsoft.com/rest/api/storageservices/put-blob-from-url). Where the account refuses both, the
 * bytes pass through here.
 */
export function copy(client: AzureClient, target: BlobRef, given: CopyRequest, call: Call): Promise<WriteResult> {
  const request: Copy = { ...given, target };
  if (request.size === 0) {
    // The service was seen to refuse Copy Blob From URL of an empty source.
    return isByCopyBlob(client, request)
      ? streamCopy(client, target, given, call)
      : copyOfNothing(client, request, call);
  }
  const byUrl = (): Promise<WriteResult> => copyByUrl(client, request, call);
  return byUrlOrThroughHere(
    client,
    { source: given.source, byUrl, throughHere: () => streamCopy(client, target, given, call) },
    call,
  );
}

function isByCopyBlob({ limits }: AzureClient, { sameHeaders, metadata, size }: Copy): boolean {
  return sameHeaders === true && Object.keys(metadata).length > 0 && size <= limits.maxSyncCopy;
}

async function copyByUrl(client: AzureClient, request: Copy, call: Call): Promise<WriteResult> {
  const keepsHeaders = request.sameHeaders === true && Object.keys(request.metadata).length > 0;
  if (isByCopyBlob(client, request)) return copyFromUrl(client, request, call);
  if (request.size > client.limits.maxPutFromUrl) throw new StoreError('tooLarge', { call: 'copy' });
  if (!client.lacks.putFromUrl) {
    try {
      return await putFromUrl(client, request, call);
    } catch (error) {
      if (!isStoreError(error) || error.detail.status !== 501) throw error;
      client.lacks.putFromUrl = true;
    }
  }
  // An emulator: its Copy Blob From URL has no limit.
  if (keepsHeaders) return copyFromUrl(client, request, call);
  throw new StoreError('tooLarge', { call: 'copy', code: 'NoPutBlobFromUrl' });
}

/** Copy Blob From URL. It takes the source's metadata if none is named, and its MD5 in any case. */
async function copyFromUrl(client: AzureClient, request: Copy, call: Call): Promise<WriteResult> {
  const ms = [
    ...(await sourceHeaders(client.sources, request.source, call)),
    ...tierHeader(request.tier),
    ...metadataHeaders(request.metadata),
    'x-ms-requires-sync',
    'true',
  ];
  return send(client, request, ms, call);
}

/**
 * Copy Blob, the asynchronous one: it alone leads out of Archive
 * (https://learn.microsoft.com/azure/storage/blobs/archive-rehydrate-overview).
 */
export async function rehydrate(
  client: AzureClient,
  target: BlobRef,
  { source, tier, isUrgent }: RehydrateRequest,
  call: Call,
): Promise<void> {
  await client.rest.sendForHeaders(
    {
      call: 'rehydrate',
      method: 'PUT',
      path: blobPath(client.endpoint, target),
      ms: [
        ...['x-ms-copy-source', client.sources.own(source)],
        ...tierHeader(tier),
        ...['x-ms-rehydrate-priority', isUrgent ? 'High' : 'Standard'],
      ],
      ...conditionHeaders(ABSENT),
      effect: 'change',
      copies: true,
    },
    call,
  );
}

/** Put Blob From URL. */
async function putFromUrl(client: AzureClient, request: Copy, call: Call): Promise<WriteResult> {
  const { headers, md5, metadata, source, tier } = request;
  const ms = [
    ...contentHeaders(headers),
    ...(md5 === undefined ? [] : ['x-ms-blob-content-md5', md5ToBase64(md5)]),
    ...['x-ms-blob-type', 'BlockBlob', 'x-ms-copy-source-blob-properties', 'false'],
    ...(await sourceHeaders(client.sources, source, call)),
    ...tierHeader(tier),
    ...metadataHeaders(metadata),
  ];
  return send(client, request, ms, call);
}

async function send(
  client: AzureClient,
  { target, source, condition }: Copy,
  ms: readonly string[],
  call: Call,
): Promise<WriteResult> {
  const path = blobPath(client.endpoint, target);
  const wire = {
    call: 'copy',
    method: 'PUT',
    path,
    ms,
    ...conditionHeaders(condition),
    effect: 'change',
    copies: true,
    pace: 'copy',
  } as const;
  return writeResult(await sendCopy(client, wire, source, call), undefined, 'copy');
}

/**
 * Copies an empty source by a commit of no blocks. The source is looked at instead: its revision must still be the
 * same.
 */
async function copyOfNothing(client: AzureClient, request: Copy, call: Call): Promise<WriteResult> {
  await checkSource(client, request.source, call);
  const { target, headers, metadata, md5, tier, condition } = request;
  const assembly = {
    call: 'copy',
    target,
    tokens: [],
    headers,
    metadata,
    ...(md5 !== undefined && { md5 }),
    ...(tier !== undefined && { tier }),
    ...(condition !== undefined && { condition }),
  };
  return putBlockList(client, assembly, call);
}
