import { isS3Error } from '../errors/s3-error.ts';
import type { Call } from '../observe/call.ts';
import type { BucketRegistry } from './buckets/buckets.ts';
import type { Bucket } from './records/bucket.ts';
import type { Objects } from './objects/objects.ts';
import type { Uploads } from './uploads/uploads.ts';

/** Says that a change that was just committed may be acknowledged: no DeleteBucket can have overlooked it. */
type Registry = Pick<BucketRegistry, 'acknowledge'>;

type Fence = <T>(bucket: Bucket, call: Call, change: Promise<T>) => Promise<T>;

function fence(buckets: Registry): Fence {
  return async (bucket, call, change) => {
    const result = await change;
    await buckets.acknowledge(bucket, call);
    return result;
  };
}

/**
 * The fence for removals. If the bucket is gone as well, the removed object is gone in any case; its removal may have
 * made the bucket empty. So the answer is that it was removed.
 */
function removalFence(buckets: Registry): Fence {
  return async (bucket, call, change) => {
    const result = await change;
    try {
      await buckets.acknowledge(bucket, call);
    } catch (error) {
      if (!isS3Error(error, 'NoSuchBucket')) throw error;
    }
    return result;
  };
}

/** Wraps `Objects` so that changes are acknowledged only when it is certain that no DeleteBucket overlooked them. */
export function fencedObjects(objects: Objects, buckets: Registry): Objects {
  const fenced = fence(buckets);
  const removing = removalFence(buckets);
  return {
    ...objects,
    put: (target, request, call) => fenced(target.bucket, call, objects.put(target, request, call)),
    publish: (target, request, call) => fenced(target.bucket, call, objects.publish(target, request, call)),
    copy: (target, request, call) => fenced(target.bucket, call, objects.copy(target, request, call)),
    amend: (target, amendment, call) => fenced(target.bucket, call, objects.amend(target, amendment, call)),
    remove: (target, request, call) => {
      // A new delete marker is fenced like an object, not like a removal.
      const makesMarker = target.bucket.versioning !== 'never' && target.versionId === undefined;
      const own = makesMarker ? fenced : removing;
      return own(target.bucket, call, objects.remove(target, request, call));
    },
  };
}

/** The same for uploads. */
export function fencedUploads(uploads: Uploads, buckets: Registry): Uploads {
  const fenced = fence(buckets);
  const removing = removalFence(buckets);
  return {
    ...uploads,
    create: (target, record, call) => fenced(target.bucket, call, uploads.create(target, record, call)),
    putPart: (upload, part, call) => fenced(upload.bucket, call, uploads.putPart(upload, part, call)),
    copyPart: (upload, copy, call) => fenced(upload.bucket, call, uploads.copyPart(upload, copy, call)),
    complete: (target, request, call) => fenced(target.bucket, call, uploads.complete(target, request, call)),
    abort: (target, call) => removing(target.bucket, call, uploads.abort(target, call)),
  };
}
