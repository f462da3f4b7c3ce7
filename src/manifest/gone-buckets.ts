import { S3Error } from '../errors/s3-error.ts';
import type { Call } from '../observe/call.ts';
import { isStoreError } from '../store/store-error.ts';
import { isContainerGone } from './buckets/acknowledge.ts';
import type { Bucket } from './records/bucket.ts';
import type { Listing } from './listing/listing.ts';
import type { Objects } from './objects/objects.ts';
import type { Uploads } from './uploads/uploads.ts';

/** Most causes of an error that are followed. The gateway makes no longer chain. */
const MAX_CAUSES = 8;

/**
 * Answers NoSuchBucket for work that failed because its bucket was deleted meanwhile. The store's error says that a
 * container is missing, but not which one. If it is the system container, no bucket is missing. So one call asks the
 * service whether the bucket's own container exists, and only after such a failure.
 */
function answered<T>(bucket: Bucket, call: Call, work: Promise<T>): Promise<T> {
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

/** Wraps `Objects` so that work in a bucket whose container is gone fails with NoSuchBucket. */
export function objectsOfLiving(objects: Objects): Objects {
  return {
    find: (target, call) => answered(target.bucket, call, objects.find(target, call)),
    recall: (target) => objects.recall(target),
    open: (target, request, call) => answered(target.bucket, call, objects.open(target, request, call)),
    openView: (bucket, view, request, call) => answered(bucket, call, objects.openView(bucket, view, request, call)),
    put: (target, request, call) => answered(target.bucket, call, objects.put(target, request, call)),
    publish: (target, request, call) => answered(target.bucket, call, objects.publish(target, request, call)),
    describe: (target, version, call) => answered(target.bucket, call, objects.describe(target, version, call)),
    nextSeq: (target, call) => answered(target.bucket, call, objects.nextSeq(target, call)),
    look: (bucket, keys, call) => answered(bucket, call, objects.look(bucket, keys, call)),
    copy: (target, request, call) =>
      answered(target.bucket, call, answered(request.source.bucket, call, objects.copy(target, request, call))),
    amend: (target, amendment, call) => answered(target.bucket, call, objects.amend(target, amendment, call)),
    remove: (target, request, call) => answered(target.bucket, call, objects.remove(target, request, call)),
  };
}

/** The same for listings. */
export function listingOfLiving(listing: Listing): Listing {
  return {
    objects: (bucket, request, call) => answered(bucket, call, listing.objects(bucket, request, call)),
    versions: (bucket, request, call) => answered(bucket, call, listing.versions(bucket, request, call)),
    isEmpty: (bucket, call) => answered(bucket, call, listing.isEmpty(bucket, call)),
  };
}

/** The same for uploads. */
export function uploadsOfLiving(uploads: Uploads): Uploads {
  return {
    ...uploads,
    create: (target, record, call) => answered(target.bucket, call, uploads.create(target, record, call)),
    find: (target, call) => answered(target.bucket, call, uploads.find(target, call)),
    recall: (target, call) => answered(target.bucket, call, uploads.recall(target, call)),
    read: (target, call) => answered(target.bucket, call, uploads.read(target, call)),
    putPart: (upload, part, call) => answered(upload.bucket, call, uploads.putPart(upload, part, call)),
    copyPart: (upload, copy, call) =>
      answered(upload.bucket, call, answered(copy.source.bucket, call, uploads.copyPart(upload, copy, call))),
    listParts: (upload, page, call) => answered(upload.bucket, call, uploads.listParts(upload, page, call)),
    list: (bucket, request, call) => answered(bucket, call, uploads.list(bucket, request, call)),
    complete: (target, request, call) => answered(target.bucket, call, uploads.complete(target, request, call)),
    abort: (target, call) => answered(target.bucket, call, uploads.abort(target, call)),
  };
}
