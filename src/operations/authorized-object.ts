import { isAllowed } from '../access/authorize.ts';
import { S3Error, isS3Error } from '../errors/s3-error.ts';
import type { Bucket } from '../manifest/records/bucket.ts';
import type { ObjectView } from '../manifest/records/object-view.ts';
import type { OperationContext } from './operation.ts';
import { requireAccess } from './require-access.ts';

export interface ObjectTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly versionId?: string | undefined;
  /** The operation's own, unless it reads another object on the way (copy sources). */
  readonly action?: string;
}

/**
 * The object of a key, once it is known that the caller may do this to it. It has to be read first: its
 * ACL rides on it. Before this returns, nothing about it may be answered.
 * @throws S3Error NoSuchKey, NoSuchVersion, MethodNotAllowed (a delete marker; all three to those who may list), AccessDenied
 */
export async function authorizedObject(target: ObjectTarget, context: OperationContext): Promise<ObjectView> {
  const { bucket, action } = target;
  const object = await withoutTellingMissing(bucket, context, () => context.manifest.objects.find(target, context.call));
  requireAccess({ bucket, object }, context, action);
  context.call.facts.note('s3gw.object.size', object.size);
  return object;
}

/** Whether a key exists is told only to those who could list it; for others a missing object is one they may not have. */
export async function withoutTellingMissing<T>(bucket: Bucket, { principal }: OperationContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed') || isAllowed(principal, 's3:ListBucket', { bucket })) throw error;
    throw new S3Error('AccessDenied', { cause: error });
  }
}
