import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { ReadResult } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { type Head, isLive, parseHead, viewOf } from './head.ts';
import { headPlace } from '../records/names.ts';
import type { ObjectView } from './object-view.ts';
import type { OpenRequest } from './object-requests.ts';
import { withOverflow } from '../records/overflow.ts';

/** A private blob may be settled away between the head and its read; each turn follows one such change. */
const MAX_TURNS = 5;

/** @returns undefined when the key has no blob. @throws S3Error NoSuchBucket when the container is gone */
export async function readHead(bucket: Bucket, key: string, call: Call): Promise<Head | undefined> {
  const { ref } = headPlace(bucket, key);
  try {
    return await withOverflow(bucket.home, parseHead(ref, await bucket.home.store.head(ref, call)), call);
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw asNoSuchBucket(error, bucket);
  }
}

/** The live object of a head, or undefined for none, a delete marker or a void. */
export function liveView(bucket: Bucket, key: string, head: Head | undefined): ObjectView | undefined {
  if (head === undefined || !isLive(head)) return undefined;
  return viewOf(head, bucket, key);
}

export async function findObject(bucket: Bucket, key: string, call: Call): Promise<ObjectView> {
  const view = liveView(bucket, key, await readHead(bucket, key, call));
  if (view === undefined) throw noSuchKey(key);
  return view;
}

/** One call for an inline object; one more when the head names a private blob, or its record had spilled. */
export async function openObject(
  bucket: Bucket,
  key: string,
  request: OpenRequest,
  call: Call,
): Promise<{ view: ObjectView; body: ByteSource }> {
  const { ref } = headPlace(bucket, key);
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const { properties, body } = await readAtKey(bucket, key, request, call);
    const bare = parseHead(ref, properties);
    if (isInline(bare)) {
      const head = await orDiscard(body, () => withOverflow(bucket.home, bare, call));
      return { view: viewOf(head, bucket, key), body };
    }
    body.discard();
    const view = liveView(bucket, key, await withOverflow(bucket.home, bare, call));
    if (view === undefined) throw noSuchKey(key);
    try {
      return { view, body: await openView(bucket, view, request, call) };
    } catch (error) {
      if (!isStoreError(error, 'notFound')) throw error;
    }
  }
  throw new StoreError('throttled', { call: 'read', code: 'ObjectKeepsChanging' });
}

export async function openView(bucket: Bucket, view: ObjectView, request: OpenRequest, call: Call): Promise<ByteSource> {
  const { ref, revision } = view.bytes;
  const { range } = request;
  const result = await bucket.home.store.read(ref, { ...(range && { range }), ...(revision && { revision }) }, call);
  return result.body;
}

async function readAtKey(bucket: Bucket, key: string, request: OpenRequest, call: Call): Promise<ReadResult> {
  try {
    return await bucket.home.store.read(headPlace(bucket, key).ref, request, call);
  } catch (error) {
    if (isStoreError(error, 'notFound')) throw noSuchKey(key);
    throw asNoSuchBucket(error, bucket);
  }
}

function isInline(head: Head): boolean {
  return head.record === undefined || head.record.kind === 'inline';
}

async function orDiscard<T>(body: ByteSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    body.discard();
    throw error;
  }
}

/** The header tells a key that never was from one whose current version is a delete marker. */
export function noSuchKey(key: string): S3Error {
  return new S3Error('NoSuchKey', { extra: { Key: key }, headers: { 'x-amz-delete-marker': 'false' } });
}

/** A container that vanished under a bucket is a bucket that does not exist; other errors stay as they are. */
export function asNoSuchBucket(error: unknown, bucket: Bucket): unknown {
  if (!isStoreError(error, 'containerNotFound')) return error;
  return new S3Error('NoSuchBucket', { extra: { BucketName: bucket.name }, cause: error });
}
