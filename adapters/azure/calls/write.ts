import type {
  BlobMetadata,
  BlobRef,
  Condition,
  Revision,
  WriteRequest,
  WriteResult,
} from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { bodySize } from '../../../src/streams/bytes.ts';
import type { UploadBody } from '../../../src/streams/bytes.ts';
import { unusableAnswer } from '../../shared/wire/wire-failure.ts';
import type { AzureClient } from '../client.ts';
import { blobPath } from '../endpoint.ts';
import {
  conditionHeaders,
  contentHeaders,
  encryptionHeaders,
  lastModifiedOf,
  metadataHeaders,
  revisionOf,
  tierHeader,
} from '../headers.ts';
import { md5ToBase64, md5ToHex } from '../../shared/md5.ts';
import { headerText, type WireHeaders } from '../../shared/wire/transport.ts';

interface WriteTarget {
  readonly ref: BlobRef;
  readonly body: UploadBody;
  readonly request: WriteRequest;
}

/** Put Blob. */
export async function write(
  client: AzureClient,
  { ref, body, request }: WriteTarget,
  call: Call,
): Promise<WriteResult> {
  if (bodySize(body) > client.limits.maxWrite) throw new StoreError('tooLarge', { call: 'write' });
  const headers = await client.rest.sendForHeaders(
    {
      call: 'write',
      method: 'PUT',
      path: blobPath(client.endpoint, ref),
      ms: [
        ...contentHeaders(request.headers),
        'x-ms-blob-type',
        'BlockBlob',
        ...encryptionHeaders(request.encryption),
        ...tierHeader(request.tier),
        ...metadataHeaders(request.metadata),
      ],
      contentMd5: request.md5 === undefined ? undefined : md5ToBase64(request.md5),
      ...conditionHeaders(request.condition),
      body,
      effect: 'change',
    },
    call,
  );
  return writeResult(headers, headerText(headers, 'content-md5'), 'write');
}

/**
 * What an answer to a change says of the blob.
 * @param md5 base64, of the blob's bytes
 * @param call port method
 * @throws StoreError lost, when the answer does not name the revision: the change is made
 */
export function writeResult(headers: WireHeaders, md5: string | undefined, call: string): WriteResult {
  const hex = md5 === undefined ? undefined : md5ToHex(md5);
  if (headerText(headers, 'etag') === undefined) throw unusableAnswer(call, 'answer without ETag');
  return {
    revision: revisionOf(headers),
    lastModified: lastModifiedOf(headers),
    ...(hex === undefined ? {} : { md5: hex }),
  };
}

interface MetadataChange {
  readonly ref: BlobRef;
  readonly metadata: BlobMetadata;
  readonly condition: Condition;
}

/** Set Blob Metadata. */
export async function setMetadata(client: AzureClient, change: MetadataChange, call: Call): Promise<WriteResult> {
  const headers = await client.rest.sendForHeaders(
    {
      call: 'setMetadata',
      method: 'PUT',
      path: blobPath(client.endpoint, change.ref),
      query: [['comp', 'metadata']],
      ms: metadataHeaders(change.metadata),
      ...conditionHeaders(change.condition),
      effect: 'change',
    },
    call,
  );
  return writeResult(headers, undefined, 'setMetadata');
}

/** Delete Blob, with its snapshots: a blob that has some cannot be deleted otherwise. */
export async function remove(
  client: AzureClient,
  ref: BlobRef,
  revision: Revision | undefined,
  call: Call,
): Promise<void> {
  await client.rest.sendForHeaders(
    {
      call: 'remove',
      method: 'DELETE',
      path: blobPath(client.endpoint, ref),
      ms: ['x-ms-delete-snapshots', 'include'],
      ifMatch: revision,
      effect: 'change',
    },
    call,
  );
}
