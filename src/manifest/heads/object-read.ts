import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import { type Head, isLive, parseHead, viewOf } from './head.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { headPlace } from '../records/names.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { OpenRequest } from './object-requests.ts';
import { openPieces } from './pieces.ts';
import { hasSpilled, isOverflowMissing, withOverflow } from './overflow.ts';

/** Times a head is read whose record cannot be read whole, because another request writes it anew. */
const MAX_READS = 3;

/**
 * @returns undefined when the key has no blob
 * @throws S3Error NoSuchBucket when the container is gone; StoreError unavailable when a part of the record is missing
 */
export async function readHead({ bucket, key }: KeyRef, call: Call): Promise<Head | undefined> {
  const { ref } = headPlace({ bucket, key });
  for (let reads = 1; ; reads++) {
    try {
      const head = parseHead(ref, await bucket.home.store.head(ref, call));
      call.facts.noteHeadKind(ref.name, head.record?.kind ?? 'inline');
      return hasSpilled(head) ? await withOverflow(bucket.home, head, call) : head;
    } catch (error) {
      if (isStoreError(error, 'notFound')) return undefined;
      if (!isOverflowMissing(error) || reads === MAX_READS) throw asNoSuchBucket(error, bucket);
    }
  }
}

/** The live object of a head, or undefined for none, a delete marker or a void. */
export function liveView(target: KeyRef, head: Head | undefined): ObjectView | undefined {
  if (head === undefined || !isLive(head)) return undefined;
  return viewOf(head, target);
}

/** Bytes of a view that was read before. */
export async function openView(
  bucket: Bucket,
  view: ObjectView,
  request: OpenRequest,
  call: Call,
): Promise<ByteSource> {
  if (view.encryption !== undefined) return openPieces({ bucket, key: view.key }, view, request, call);
  const { ref, revision } = view.bytes;
  const { range } = request;
  const result = await bucket.home.store.read(ref, { ...(range && { range }), ...(revision && { revision }) }, call);
  return result.body;
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
