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
import { bodySize, type UploadBody } from '../../../src/streams/bytes.ts';
import { endOfEmpty } from '../../shared/empty-body.ts';
import type { GcsClient } from '../client.ts';
import { changeOf, objectPath, uploadPath, xmlPath } from '../paths.ts';
import { encryptionHeaders, type GcsRequest, jsonBody, kmsKeyQuery } from '../request.ts';
import { md5ToBase64 } from '../../shared/md5.ts';
import { metadataPatch, newResource, type ObjectResource, writeResult, WRITTEN } from '../resource.ts';
import { conditionQuery, matchQuery } from '../revision.ts';
import { getResource } from './read.ts';
import { requireTier } from './tiers.ts';
import { randomBytes } from 'node:crypto';

interface WriteTarget {
  readonly ref: BlobRef;
  readonly body: UploadBody;
  readonly request: WriteRequest;
  /** Port method. */
  readonly call: string;
}

const EMPTY = new Uint8Array(0);

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/insert, `uploadType=multipart`. The service checks an MD5
 * that it is told.
 */
export async function write(client: GcsClient, target: WriteTarget, call: Call): Promise<WriteResult> {
  const { ref, request } = target;
  const size = bodySize(target.body);
  if (size > client.limits.maxWrite) throw new StoreError('tooLarge', { call: target.call });
  await requireTier(client, ref.container, { tier: request.tier, name: target.call }, call);
  if (size === 0) await endOfEmpty(target.body, target.call, call);
  const changes = changeOf(client, ref);
  const path = uploadPath(client, ref.container);
  const resource = {
    ...newResource(request),
    name: checkedName(client, ref),
    ...(request.md5 !== undefined && { md5Hash: md5ToBase64(request.md5) }),
  };
  const related = relatedBody(resource, size === 0 ? EMPTY : target.body);
  const stored = await client.rest.sendForJson<ObjectResource>(
    {
      call: target.call,
      method: 'POST',
      path,
      query: [
        ['uploadType', 'multipart'],
        ...conditionQuery(request.condition),
        ...kmsKeyQuery(request),
        ['fields', WRITTEN],
      ],
      ...related,
      headers: [...related.headers, ...encryptionHeaders(request.encryption)],
      effect: 'change',
      changes,
      missing: 'bucket',
    },
    call,
  );
  return writeResult(stored, target.call);
}

/**
 * The name goes out in the resource, not in the path; what is written must be readable.
 * @throws StoreError invalidName
 */
function checkedName(client: GcsClient, ref: BlobRef): string {
  xmlPath(client, ref);
  return ref.name;
}

interface MetadataChange {
  readonly ref: BlobRef;
  readonly metadata: BlobMetadata;
  readonly condition: Condition;
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/patch merges metadata key by key, so the keys to be removed
 * must be named: they are read first, at the very revision that the patch is conditioned on.
 */
export async function setMetadata(
  client: GcsClient,
  { ref, metadata, condition }: MetadataChange,
  call: Call,
): Promise<WriteResult> {
  if (condition.kind === 'absent') throw new StoreError('conditionFailed', { call: 'setMetadata' });
  const { revision } = condition;
  const before = await getResource(client, ref, { call: 'setMetadata', revision }, call);
  const patched = await client.rest.sendForJson<ObjectResource>(
    {
      call: 'setMetadata',
      method: 'PATCH',
      path: objectPath(client, ref),
      query: [...matchQuery(revision), ['fields', WRITTEN]],
      ...jsonBody({ metadata: metadataPatch(before, metadata) }),
      effect: 'change',
      changes: changeOf(client, ref),
      missing: 'object',
    },
    call,
  );
  return writeResult(patched, 'setMetadata');
}

/** https://cloud.google.com/storage/docs/json_api/v1/objects/delete */
export async function remove(
  client: GcsClient,
  ref: BlobRef,
  revision: Revision | undefined,
  call: Call,
): Promise<void> {
  await client.rest.sendForHeaders(
    {
      call: 'remove',
      method: 'DELETE',
      path: objectPath(client, ref),
      query: revision === undefined ? [] : matchQuery(revision),
      effect: 'change',
      changes: changeOf(client, ref),
      missing: 'object',
    },
    call,
  );
}

const CRLF = '\r\n';
const HEADER_SAFE = /^[\x20-\x7e]+$/;

/** The type is said twice, so that it does not matter which of the two a server believes. */
interface NewObject {
  readonly contentType: string;
}

/**
 * An upload in one request: the resource and the bytes as two parts of `multipart/related`
 * (https://cloud.google.com/storage/docs/uploading-objects#uploading-an-object). A stream goes between two buffers, so
 * that the closing boundary, without which the service stores nothing, leaves only when the stream has ended well.
 */
function relatedBody(
  resource: NewObject,
  body: UploadBody,
): Pick<GcsRequest, 'body' | 'frame'> & { readonly headers: readonly string[] } {
  // 144 random bits: no body holds them by chance.
  const boundary = randomBytes(18).toString('hex');
  const part = `--${boundary}${CRLF}content-type: `;
  const type = HEADER_SAFE.test(resource.contentType) ? resource.contentType : 'application/octet-stream';
  const opening = `${part}application/json; charset=UTF-8${CRLF}${CRLF}${JSON.stringify(resource)}${CRLF}${part}${type}${CRLF}${CRLF}`;
  const before = Buffer.from(opening);
  const after = Buffer.from(`${CRLF}--${boundary}--${CRLF}`);
  const headers = ['content-type', `multipart/related; boundary=${boundary}`];
  return body instanceof Uint8Array
    ? { headers, body: Buffer.concat([before, body, after]) }
    : { headers, body, frame: { before, after } };
}
