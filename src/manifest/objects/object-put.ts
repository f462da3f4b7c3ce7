import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { StoreError } from '../../store/store-error.ts';
import { bodySize } from '../../streams/bytes.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import { partsOf } from '../heads/new-record.ts';
import { isWatched } from '../heads/announce.ts';
import { blobMetadata } from '../heads/overflow.ts';
import type { InlineHead } from '../records/record.ts';
import { type VersionToken, newToken, seqOfToken } from '../records/version-token.ts';
import { NULL_VERSION } from '../heads/head.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { putApart } from './object-apart.ts';
import { publishDetached } from './object-publish.ts';
import { type AnyBody, type Committed, type PutTarget, hasKnownSize } from '../heads/object-requests.ts';
import { putInline } from './object-write.ts';
import { storedSums } from './stored-sums.ts';
import { commitNull } from '../versions/commit-null.ts';
import { commitVersion } from '../versions/commit-version.ts';
import { type PlaceChange, copyToPlace } from '../versions/own-copy.ts';
import { type WrittenObject, isWrittenObject } from '../versions/version-blob.ts';
import { type OwnPlace, uploadVersion } from '../versions/upload-version.ts';

/** Stores an object, in the way that the bucket's versioning asks for (docs/decisions/0002-commit-protocol.md). */
export function putObject(context: ObjectsContext, target: PutTarget<AnyBody>, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const { keepApart } = request;
  if (keepApart !== undefined) {
    const encrypted = { bucket, key, request: { ...request, keepApart } };
    return putApart(context, encrypted, (named) => putObject(context, named, call), call);
  }
  if (bucket.versioning === 'enabled') return putVersion(context, target, call);
  if (!hasKnownSize(target) || bodySize(target.request.body) > bucket.home.store.capabilities.maxWrite) {
    return putDetached(context, target, call);
  }
  // What replaces a head unseen would take with it the proof of the change that made it.
  if (bucket.versioning === 'never' && !isWatched({ bucket, key })) return putInline(context, target, call);
  return request.body instanceof Uint8Array ? putNull(context, target, call) : putDetached(context, target, call);
}

/**
 * Stores a new version: first its own blob, then the head is swapped to it. A streamed body is written first, because
 * it can be sent only once, whatever happens to the head meanwhile.
 */
async function putVersion(context: ObjectsContext, target: PutTarget<AnyBody>, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const { conditions } = request;
  const write = (token: VersionToken): Promise<WrittenObject> => upload(target, { token, isNull: false }, call);
  const move = (change: PlaceChange): Promise<WrittenObject> => copyToPlace({ bucket, key }, change, {}, call);
  const { token, written } = await commitVersion(
    context,
    request.body instanceof Uint8Array
      ? { kind: 'held', bucket, key, conditions, write }
      : { kind: 'stored', bucket, key, conditions, write, move },
    call,
  );
  if (written === undefined || !isWrittenObject(written)) {
    throw new StoreError('unexpected', { call: 'write', code: 'NothingWritten' });
  }
  const { etag, checksum } = written.record;
  return { etag, mtime: mtimeOfSeq(seqOfToken(token)), versionId: token, ...(checksum !== undefined && { checksum }) };
}

/**
 * Stores the null version inline, on condition of the head: in a bucket whose versioning is suspended, or where changes
 * have to be announced. The body is in memory, so the write can be made again.
 */
async function putNull(context: ObjectsContext, target: PutTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const parts = partsOf(target, request);
  const { ref, native, headers } = parts;
  const nonce = newNonce();
  const etag = isWatched({ bucket, key }) ? etagOf(request) : '';
  const { seq, written } = await commitNull(
    context,
    {
      bucket,
      key,
      conditions: request.conditions,
      writes: 'held',
      content: { etag, size: request.encryption?.size ?? bodySize(request.body) },
      known: bucket.versioning === 'never' ? context.newKeys.guess(target, request.conditions) : undefined,
      nonce,
      plan: async (base, { placed, condition }) => {
        context.newKeys.learn(bucket, placed.head);
        const record: InlineHead = {
          kind: 'inline',
          ...(request.etag !== undefined && { etag: request.etag }),
          ...parts.fields,
          ...base,
        };
        const metadata = await blobMetadata(bucket.home, record, native, call);
        const wire = { headers, metadata, condition, ...(request.md5 !== undefined && { md5: request.md5 }) };
        return () => bucket.home.store.write(ref, request.body, wire, call);
      },
    },
    call,
  );
  const { md5 } = written ?? {};
  const sums = await storedSums(target, { nonce, parts, ...(md5 !== undefined && { md5 }) }, call);
  return { ...sums, mtime: mtimeOfSeq(seq), versionId: NULL_VERSION };
}

/** Known before the write, where an event has to say it. */
function etagOf({ etag, md5, body }: PutTarget['request']): string {
  if (etag !== undefined || md5 !== undefined) return etag ?? md5 ?? '';
  return body instanceof Uint8Array ? createHash('md5').update(body).digest('hex') : '';
}

/**
 * Stores the null version on a private blob and swaps the head to it: for a body that can be sent only once, or that
 * does not fit into one write.
 */
async function putDetached(context: ObjectsContext, target: PutTarget<AnyBody>, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const token = newToken(context.clock.next());
  const { record, size } = await upload(target, { token, isNull: true }, call);
  const { etag, checksum } = record;
  const { body: _body, md5: _md5, facts: _facts, ...version } = request;
  return publishDetached(
    context,
    { bucket, key, request: { ...version, version: token, etag, size, ...(checksum && { checksum }) } },
    call,
  );
}

/**
 * Writes the body. A body that comes from the client ends when the client leaves; one that is in memory belongs to the
 * commit and goes on.
 */
function upload(target: PutTarget<AnyBody>, own: OwnPlace, call: Call): Promise<WrittenObject> {
  const isHeld = target.request.body instanceof Uint8Array;
  return isHeld
    ? uploadVersion(target, own, call)
    : whileStreaming(call, (client) => uploadVersion(target, own, client));
}
