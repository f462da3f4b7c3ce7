import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import { createChecksumHasher } from '../../protocol/checksums/hasher.ts';
import { hasWriteConditions, isCreateOnly } from '../../protocol/conditions.ts';
import { ABSENT, type Condition, type CopySource, type WriteResult } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import { type HeadChange, changeHead, refusal, ringAfter, writeOnce } from './head-commit.ts';
import type { Head } from './head.ts';
import { headPlace } from '../records/names.ts';
import { recordOf } from '../records/new-record.ts';
import { asNoSuchBucket, openView } from './object-read.ts';
import type { ObjectsContext } from './object-context.ts';
import type { Committed, CopyObjectRequest } from './object-requests.ts';
import { putObject } from './object-write.ts';
import { blobMetadata } from '../records/overflow.ts';
import { type ObjectRecord, partitionHeaders, partitionUserMetadata } from '../records/record.ts';

/** Turns of an unconditional copy whose staged blocks other writers of the key threw away. */
const MAX_TURNS = 4;

export interface CopyTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly request: CopyObjectRequest;
}

/**
 * Copies an object server-side inside one backend, as a stream between two. The ETag is the
 * source's: its MD5 when known, its `-N` tag when it was made of parts.
 */
export async function copyObject(context: ObjectsContext, target: CopyTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const sameStore = request.source.bucket.home.store === bucket.home.store;
  if (!sameStore || request.checksumAlgorithm !== undefined) return copyThrough(context, target, call);
  const { view } = request.source;
  const pinned = await pin(target, call);
  const record: ObjectRecord & { nonce: string } = {
    kind: 'inline',
    seq: context.clock.next(),
    nonce: newNonce(),
    ...(view.md5 === undefined && { etag: view.etag }),
    ...recordOf(bucket, key, request),
  };
  const send = (head: Head | undefined, condition: Condition | undefined): Promise<WriteResult> =>
    sendCopy(target, { record: { ...record, ...ringAfter(head) }, source: pinned, condition }, call);
  const change: HeadChange<WriteResult> = {
    bucket,
    key,
    conditions: request.conditions,
    nonce: record.nonce,
    repeatable: true,
    write: send,
    recognise: (head) => head.properties,
  };
  if (!hasWriteConditions(request.conditions)) await unconditional(() => send(undefined, undefined), bucket);
  else if (isCreateOnly(request.conditions)) await createByCopy(change, call);
  else await changeHead(change, call);
  return { etag: view.etag, mtime: mtimeOfSeq(record.seq), ...(request.checksum !== undefined && { checksum: request.checksum }) };
}

/** The source at one revision: inline views carry it, a private blob is looked up. */
async function pin({ request }: CopyTarget, call: Call): Promise<CopySource> {
  const { bucket, view } = request.source;
  const revision = view.bytes.revision ?? (await bucket.home.store.head(view.bytes.ref, call)).revision;
  return { ...view.bytes.ref, revision };
}

interface CopyDraft {
  readonly record: ObjectRecord;
  readonly source: CopySource;
  readonly condition: Condition | undefined;
}

async function sendCopy({ bucket, key, request }: CopyTarget, draft: CopyDraft, call: Call): Promise<WriteResult> {
  const { home } = bucket;
  const { native } = partitionUserMetadata(request.attributes.userMetadata);
  const metadata = await blobMetadata(home, draft.record, native, call);
  const { view } = request.source;
  const wire = {
    source: draft.source,
    size: view.size,
    headers: partitionHeaders(request.attributes.headers).native,
    metadata,
    sameHeaders: request.sameAttributes && view.bytes.revision !== undefined,
    ...(view.md5 !== undefined && { md5: view.md5 }),
    ...(draft.condition !== undefined && { condition: draft.condition }),
  };
  return home.store.copy(headPlace(bucket, key).ref, wire, call);
}

async function unconditional(send: () => Promise<WriteResult>, bucket: Bucket): Promise<void> {
  for (let turn = 1; ; turn++) {
    try {
      await send();
      return;
    } catch (error) {
      if (!isStoreError(error, 'partsGone')) throw asNoSuchBucket(error, bucket);
      if (turn === MAX_TURNS) throw new StoreError('throttled', { call: 'copy', cause: error });
    }
  }
}

async function createByCopy(change: HeadChange<WriteResult>, call: Call): Promise<void> {
  try {
    await writeOnce(change, undefined, ABSENT, call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) throw await refusal(change, error, call);
    throw asNoSuchBucket(error, change.bucket);
  }
}

/** Between two backends, or to compute a checksum, the bytes pass through the gateway in bounded memory. */
async function copyThrough(context: ObjectsContext, target: CopyTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const { source, sameAttributes: _same, checksumAlgorithm, ...version } = request;
  const { view } = source;
  const bytes = (await openView(source.bucket, view, {}, call)).stream();
  const put = { ...version, ...(view.md5 !== undefined && { md5: view.md5 }) };
  if (checksumAlgorithm === undefined) {
    return putObject(context, { bucket, key, request: { ...put, body: { size: view.size, stream: bytes } } }, call);
  }
  const { stream, facts } = checksumming(bytes, checksumAlgorithm, call.signal);
  return putObject(context, { bucket, key, request: { ...put, body: { size: view.size, stream }, facts } }, call);
}

function checksumming(bytes: Readable, algorithm: ChecksumAlgorithm, signal: AbortSignal): { stream: Readable; facts: Promise<BodyFacts> } {
  const hasher = createChecksumHasher(algorithm);
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hasher.update(chunk);
      done(null, chunk);
    },
  });
  const facts = pipeline(bytes, tap, { signal }).then(() => ({ checksum: { algorithm, value: hasher.digest().toString('base64') } }));
  facts.catch(() => undefined); // the write that reads the stream fails with the same error
  return { stream: tap, facts };
}
