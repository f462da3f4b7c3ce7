import { S3Error, isS3Error } from '../errors/s3-error.ts';
import type { Call } from '../observe/call.ts';
import { isStoreError } from '../store/store-error.ts';
import { isContainerGone } from './buckets/acknowledge.ts';
import type { BucketRegistry } from './buckets/buckets.ts';
import type { Manifest } from './manifest.ts';
import type { Objects } from './objects/objects.ts';
import type { Bucket } from './records/bucket.ts';

/** Waits for one call of the manifest, and answers for it. @throws S3Error NoSuchBucket, and what the call throws */
type Guard = <T>(bucket: Bucket, call: Call, work: Promise<T>) => Promise<T>;

/** Says that a change that was just committed may be acknowledged: no DeleteBucket can have overlooked it. */
type Registry = Pick<BucketRegistry, 'acknowledge'>;

/**
 * Every call that works in a bucket is guarded against a DeleteBucket beside it, by what it does:
 *
 * A `read` that finds the container gone is answered NoSuchBucket.
 *
 * A `change` is, too. Once it is committed it is acknowledged only if no DeleteBucket can have overlooked it
 * (docs/decisions/0015-containers-and-fences.md).
 *
 * A `removal` is as a change. But if the bucket is gone by then, the removed object is gone in any case, and its
 * removal may have made the bucket empty. So the answer is that it was removed.
 */
function guardsOf(buckets: Registry): Readonly<Record<'read' | 'change' | 'removal', Guard>> {
  return {
    read: orNoSuchBucket,
    change: (bucket, call, work) =>
      orNoSuchBucket(
        bucket,
        call,
        work.then(async (result) => {
          await buckets.acknowledge(bucket, call);
          return result;
        }),
      ),
    removal: (bucket, call, work) =>
      orNoSuchBucket(
        bucket,
        call,
        work.then(async (result) => {
          try {
            await buckets.acknowledge(bucket, call);
          } catch (error) {
            if (!isS3Error(error, 'NoSuchBucket')) throw error;
          }
          return result;
        }),
      ),
  };
}

/** The guards of `Objects`. What a process remembers needs none. */
export function guardedObjects(objects: Objects, buckets: Registry): Objects {
  const { read, change, removal } = guardsOf(buckets);
  return {
    recall: (target) => objects.recall(target),
    find: (target, call) => read(target.bucket, call, objects.find(target, call)),
    open: (target, request, call) => read(target.bucket, call, objects.open(target, request, call)),
    openView: (bucket, view, request, call) => read(bucket, call, objects.openView(bucket, view, request, call)),
    describe: (target, version, call) => read(target.bucket, call, objects.describe(target, version, call)),
    nextSeq: (target, call) => read(target.bucket, call, objects.nextSeq(target, call)),
    look: (bucket, keys, call) => read(bucket, call, objects.look(bucket, keys, call)),
    put: (target, request, call) => change(target.bucket, call, objects.put(target, request, call)),
    publish: (target, request, call) => change(target.bucket, call, objects.publish(target, request, call)),
    copy: (target, request, call) =>
      change(target.bucket, call, read(request.source.bucket, call, objects.copy(target, request, call))),
    amend: (target, amendment, call) => change(target.bucket, call, objects.amend(target, amendment, call)),
    restore: (target, request, call) => change(target.bucket, call, objects.restore(target, request, call)),
    finishRestore: (target, view, call) => read(target.bucket, call, objects.finishRestore(target, view, call)),
    endRestore: (target, view, call) => read(target.bucket, call, objects.endRestore(target, view, call)),
    changeClass: (bucket, view, request, call) =>
      change(bucket, call, objects.changeClass(bucket, view, request, call)),
    remove: (target, request, call) => {
      const makesMarker = target.bucket.versioning !== 'never' && target.versionId === undefined;
      const guard = makesMarker ? change : removal;
      return guard(target.bucket, call, objects.remove(target, request, call));
    },
  };
}

/** The guards of all that works in buckets. */
export function guarded(
  { objects, listing, uploads }: Pick<Manifest, 'objects' | 'listing' | 'uploads'>,
  buckets: Registry,
): Pick<Manifest, 'objects' | 'listing' | 'uploads'> {
  const { read, change, removal } = guardsOf(buckets);
  return {
    objects: guardedObjects(objects, buckets),
    listing: {
      objects: (bucket, request, call) => read(bucket, call, listing.objects(bucket, request, call)),
      versions: (bucket, request, call) => read(bucket, call, listing.versions(bucket, request, call)),
      isEmpty: (bucket, call) => read(bucket, call, listing.isEmpty(bucket, call)),
    },
    uploads: {
      find: (target, call) => read(target.bucket, call, uploads.find(target, call)),
      recall: (target, call) => read(target.bucket, call, uploads.recall(target, call)),
      read: (target, call) => read(target.bucket, call, uploads.read(target, call)),
      listParts: (upload, page, call) => read(upload.bucket, call, uploads.listParts(upload, page, call)),
      list: (bucket, request, call) => read(bucket, call, uploads.list(bucket, request, call)),
      create: (target, record, call) => change(target.bucket, call, uploads.create(target, record, call)),
      saysPartMd5: (upload, part, call) => uploads.saysPartMd5(upload, part, call),
      putPart: (upload, part, call) => change(upload.bucket, call, uploads.putPart(upload, part, call)),
      copyPart: (upload, copy, call) =>
        change(upload.bucket, call, read(copy.source.bucket, call, uploads.copyPart(upload, copy, call))),
      complete: (target, request, call) => change(target.bucket, call, uploads.complete(target, request, call)),
      abort: (target, call) => removal(target.bucket, call, uploads.abort(target, call)),
      // Is for buckets that are gone.
      discardAll: (bucket, call) => uploads.discardAll(bucket, call),
    },
  };
}

/** Most causes of an error that are followed. The gateway makes no longer chain. */
const MAX_CAUSES = 8;

/**
 * Answers NoSuchBucket for work that failed because its bucket was deleted meanwhile. The store's error says that a
 * container is missing, but not which one. If it is the system container, no bucket is missing. So one call asks the
 * service whether the bucket's own container exists, and only after such a failure.
 */
function orNoSuchBucket<T>(bucket: Bucket, call: Call, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    if (isOfMissingContainer(error) && (await isContainerGone(bucket, call))) {
      throw new S3Error('NoSuchBucket', { extra: { BucketName: bucket.name }, cause: error });
    }
    throw error;
  });
}

/** Whether the error is a missing container, or an upload that was broken off because of one. */
function isOfMissingContainer(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && isStoreError(current); depth += 1) {
    if (current.kind === 'containerNotFound') return true;
    if (current.kind !== 'aborted') return false;
    current = current.cause;
  }
  return false;
}
