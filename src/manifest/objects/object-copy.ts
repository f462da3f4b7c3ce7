import type { Call } from '../../observe/call.ts';
import { type BlobRef, type Condition, type WriteResult } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Versioning } from '../records/bucket.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import type { InlineHead } from '../records/record.ts';
import { versionRef } from '../records/version-names.ts';
import { type VersionToken, newToken, seqOfToken } from '../records/version-token.ts';
import { clientOf, whileStreaming } from '../heads/commit-life.ts';
import { isWatched } from '../heads/announce.ts';
import { byNonce, ringAfter } from '../heads/head-commit.ts';
import { writeHead } from '../heads/head-write.ts';
import { NULL_VERSION } from '../heads/head.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { publishDetached } from './object-publish.ts';
import { putObject } from './object-put.ts';
import { hashing, passing } from '../heads/copied-bytes.ts';
import { openSource } from '../heads/copy-source.ts';
import type { Committed, PutRequest } from '../heads/object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';
import { type CopyTarget, type PinnedCopy, keptEtag, pinCopy, wireOf } from './pinned-copy.ts';
import { commitNull } from '../versions/commit-null.ts';
import { commitVersion } from '../versions/commit-version.ts';
import { type PlaceChange, copyToOwn, copyToPlace, stageToOwn } from '../versions/own-copy.ts';
import { ownRecord } from '../versions/upload-version.ts';
import type { WrittenObject } from '../versions/version-blob.ts';

/**
 * Copies an object: server-side inside one backend, as a stream between two. The copy has the source's ETag: its MD5
 * when known, its `-N` tag when it was made of parts.
 */
export async function copyObject(context: ObjectsContext, target: CopyTarget, call: Call): Promise<Committed> {
  const { bucket, request } = target;
  const sameStore = request.source.bucket.home.store === bucket.home.store;
  const isEncrypted = request.keepApart !== undefined || request.source.view.encryption !== undefined;
  if (!sameStore || isEncrypted || request.checksumAlgorithm !== undefined) return copyThrough(context, target, call);
  const copy = await pinCopy(target, call);
  const { seq, versionId } = await COPIES[bucket.versioning](context, copy, call);
  const { view } = request.source;
  return {
    etag: view.etag,
    mtime: mtimeOfSeq(seq),
    versionId,
    ...(request.checksum !== undefined && { checksum: request.checksum }),
  };
}

interface Placed {
  readonly seq: number;
  readonly versionId: string;
}

const COPIES: Readonly<Record<Versioning, (context: ObjectsContext, copy: PinnedCopy, call: Call) => Promise<Placed>>> =
  {
    never: (context, copy, call) => atKey(isWatched(copy) ? copyNull : copyInline)(context, copy, call),
    enabled: copyVersion,
    suspended: atKey(copyNull),
  };

interface CopyDraft {
  readonly ref: BlobRef;
  readonly record: InlineHead;
  readonly condition: Condition | undefined;
}

/** Sends the copy. A copy takes time that grows with the object, so it ends when the client leaves. */
async function sendCopy(copy: PinnedCopy, { ref, record, condition }: CopyDraft, call: Call): Promise<WriteResult> {
  const wire = await wireOf(copy, record, call);
  const { store } = copy.bucket.home;
  return whileStreaming(call, (client) =>
    store.copy(ref, { ...wire, ...(condition !== undefined && { condition }) }, client),
  );
}

/**
 * Copies to the key itself if the service can do that in one call. Otherwise it copies to a private blob and points the
 * head to it, as CompleteMultipartUpload does.
 */
function atKey(
  inOneCall: (context: ObjectsContext, copy: PinnedCopy, call: Call) => Promise<Placed>,
): typeof inOneCall {
  return async (context, copy, call) => {
    const { bucket, request } = copy;
    if (request.source.view.size <= bucket.home.store.capabilities.maxCopy) {
      try {
        return await inOneCall(context, copy, call);
      } catch (error) {
        if (!isStoreError(error, 'tooLarge')) throw error;
      }
    }
    return copyDetached(context, copy, call);
  };
}

async function copyDetached(context: ObjectsContext, copy: PinnedCopy, call: Call): Promise<Placed> {
  const { bucket, key, request } = copy;
  const { source, sameAttributes: _same, checksumAlgorithm: _none, ...version } = request;
  const { etag, size } = source.view;
  const token = newToken(context.clock.next());
  const record = { ...ownRecord(copy, copy.parts, { token, isNull: true }), ...keptEtag(copy) };
  const own = { ...(await wireOf(copy, record, call)), target: versionRef({ bucket, key }, token) };
  await whileStreaming(call, (client) => stageToOwn(bucket.home.store, own, client));
  await publishDetached(context, { bucket, key, request: { ...version, version: token, etag, size } }, call);
  return { seq: seqOfToken(token), versionId: NULL_VERSION };
}

/**
 * Runs a send whose preparations may have moved the source: a version that is copied over itself is stamped first. Not
 * every service says which of the two conditions failed, so the source is looked at.
 */
async function unlessMoved(copy: PinnedCopy, send: Promise<WriteResult>, call: Call): Promise<WriteResult> {
  try {
    return await send;
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed')) throw error;
    const { source, request } = copy;
    const now = await request.source.bucket.home.store.head(source, call).catch((cause: unknown) => {
      if (!isStoreError(cause, 'notFound')) throw cause;
    });
    throw now?.revision === source.revision
      ? error
      : new StoreError('sourceConditionFailed', { call: 'copy', cause: error });
  }
}

/** Copies to the key itself, in a bucket that never had versioning. */
async function copyInline(context: ObjectsContext, copy: PinnedCopy, call: Call): Promise<Placed> {
  const { bucket, key, request, parts } = copy;
  const { ref, fields } = parts;
  const nonce = newNonce();
  const record: InlineHead = { kind: 'inline', seq: context.clock.next(), nonce, ...keptEtag(copy), ...fields };
  await writeHead<WriteResult>(
    {
      bucket,
      key,
      conditions: request.conditions,
      writes: 'copied',
      send: ({ head, condition }) =>
        sendCopy(
          copy,
          { ref, record: { ...record, ...(condition !== undefined && ringAfter(head)) }, condition },
          call,
        ),
      recognise: byNonce(nonce, (head) => head.properties),
    },
    call,
  );
  return { seq: record.seq, versionId: NULL_VERSION };
}

/** Copies to the own blob of a new version. */
async function copyVersion(context: ObjectsContext, copy: PinnedCopy, call: Call): Promise<Placed> {
  const { bucket, key, request, parts } = copy;
  const { native, headers } = parts;
  const { view } = request.source;
  const write = async (token: VersionToken): Promise<WrittenObject> => {
    const record = { ...ownRecord(copy, copy.parts, { token, isNull: false }), ...keptEtag(copy) };
    const own = { ...(await wireOf(copy, record, call)), target: versionRef({ bucket, key }, token) };
    const { revision } = await unlessMoved(
      copy,
      whileStreaming(call, (client) => copyToOwn(bucket.home.store, own, client)),
      call,
    );
    return { record: { ...record, etag: view.etag }, size: view.size, native, headers, revision };
  };
  const move = (change: PlaceChange): Promise<WrittenObject> => copyToPlace({ bucket, key }, change, {}, call);
  const { token } = await commitVersion(
    context,
    { kind: 'stored', bucket, key, conditions: request.conditions, write, move },
    call,
  );
  return { seq: seqOfToken(token), versionId: token };
}

/**
 * Copies to the key itself on condition of the head: as the null version of a bucket whose versioning is suspended, or
 * where changes have to be announced.
 */
async function copyNull(context: ObjectsContext, copy: PinnedCopy, call: Call): Promise<Placed> {
  const { bucket, key, request, parts } = copy;
  const { ref, fields } = parts;
  const { seq } = await commitNull(
    context,
    {
      bucket,
      key,
      conditions: request.conditions,
      writes: 'copied',
      content: { etag: request.source.view.etag, size: request.source.view.size },
      known: bucket.versioning === 'never' ? context.newKeys.guess(copy, request.conditions) : undefined,
      plan: async (base, { placed, condition }) => {
        context.newKeys.learn(bucket, placed.head);
        const record: InlineHead = { kind: 'inline', ...keptEtag(copy), ...fields, ...base };
        return () => unlessMoved(copy, sendCopy(copy, { ref, record, condition }, call), call);
      },
    },
    call,
  );
  return { seq, versionId: NULL_VERSION };
}

/**
 * Copies by reading and writing: the bytes pass through the gateway in bounded memory. For copies between two backends,
 * to compute a checksum, or to change the encryption.
 */
async function copyThrough(context: ObjectsContext, target: CopyTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const { source, sameAttributes: _same, checksumAlgorithm, ...version } = request;
  const { view } = source;
  const client = clientOf(call);
  const bytes = await openSource(source, {}, client);
  const put = { ...version, ...sumsOf(view) };
  // An encrypted source has no known MD5, and not every write is answered with one.
  const md5 = view.encryption !== undefined && view.size > bucket.home.store.capabilities.maxWrite;
  return passing(bytes, (whole) => {
    if (checksumAlgorithm === undefined && !md5) {
      return putObject(context, { bucket, key, request: { ...put, body: { size: view.size, stream: whole } } }, call);
    }
    const { stream, facts } = hashing(whole, { size: view.size, md5, checksum: checksumAlgorithm }, client.signal);
    return putObject(context, { bucket, key, request: { ...put, body: { size: view.size, stream }, facts } }, call);
  });
}

/** The checksums that the copy takes over. The ETag of an encrypted source is no MD5, so it is not among them. */
function sumsOf({ md5, etag, encryption }: ObjectView): Pick<PutRequest, 'md5' | 'etag'> {
  if (encryption !== undefined && encryption.by.kind !== 'archive') return {};
  return md5 === undefined ? { etag } : { md5 };
}
