import { S3Error, isS3Error } from '../errors/s3-error.ts';
import type { KeyRef, ObjectView } from '../manifest/index.ts';
import type { OperationContext } from './operation.ts';
import { mayAccess, mayAlso, ownAction, requireAccess, requireAlso } from './permission.ts';
import { idOf } from '../access/acl/permits.ts';

interface ObjectTarget extends KeyRef {
  readonly versionId?: string | undefined;
  /** It is the source of a copy. Absent: what the operation is for. */
  readonly of?: 'source';
}

/**
 * Reads the object of a key and checks that the caller may do this to it. The object has to be read first, because its
 * ACL is part of its record; until this returns, nothing about it may be answered. @throws S3Error NoSuchKey,
 * NoSuchVersion, MethodNotAllowed (a delete marker; all three to those who may list), AccessDenied
 */
export async function authorizedObject(target: ObjectTarget, context: OperationContext): Promise<ObjectView> {
  const { bucket, key, versionId } = target;
  const found = context.manifest.objects.find(target, context.call);
  const object = await withoutTellingMissing(target, context, found);
  if (target.of === 'source') requireAlso('source', { bucket, key, versionId, object }, context);
  else requireAccess({ bucket, key, versionId, object }, context);
  context.call.facts.note('s3gw.object.size', object.size);
  return object;
}

/**
 * Hides from callers whether a key exists. Only a caller who could list it, and who could read it if it existed, is
 * told that it is missing; all others get AccessDenied.
 */
export function withoutTellingMissing<T>(
  target: ObjectTarget,
  context: OperationContext,
  work: Promise<T>,
): Promise<T> {
  return work.catch((error: unknown) => {
    if (!isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed') || mayKnowMissing(target, context)) {
      throw error;
    }
    throw new S3Error('AccessDenied', { cause: error });
  });
}

function mayKnowMissing({ bucket, key, versionId, of }: ObjectTarget, context: OperationContext): boolean {
  // A caller who may list a prefix could list the keys that begin with this one.
  const says = { get: (name: string) => (name === 's3:prefix' ? key : undefined) };
  if (!mayAccess('s3:ListBucket', { bucket, says }, context)) return false;
  const mine = { ownerId: idOf(context.principal) };
  const resource = { bucket, key, versionId, object: mine };
  return of === 'source' ? mayAlso('source', resource, context) : mayAccess(ownAction(context), resource, context);
}
