import { S3Error } from '../../errors/s3-error.ts';
import type { BucketSettings } from '../../manifest/records/bucket.ts';
import { type Acl, grantsOthers, isPublicGrant } from '../../protocol/acl/acl.ts';

/**
 * Where the owner of the bucket owns everything in it, ACLs cannot be set.
 * @throws S3Error AccessControlListNotSupported
 */
export function requireAcls({ ownership }: BucketSettings): void {
  if (ownership === 'BucketOwnerEnforced') throw new S3Error('AccessControlListNotSupported');
}

/** @throws S3Error AccessDenied: the public access block of the bucket does not let such an ACL in */
export function refusePublicAcl(acl: Acl, { publicAccessBlock }: BucketSettings): void {
  if (publicAccessBlock?.blockPublicAcls !== true || !acl.some(isPublicGrant)) return;
  throw new S3Error('AccessDenied', { cause: new Error('the public access block refuses public ACLs') });
}

/**
 * Before the bucket's ACL stops to count, nobody else may depend on it.
 * @throws S3Error InvalidBucketAclWithObjectOwnership
 */
export function requireOwnAcl({ ownership, acl }: BucketSettings): void {
  if (ownership === 'BucketOwnerEnforced' && acl !== undefined && grantsOthers(acl)) {
    throw new S3Error('InvalidBucketAclWithObjectOwnership');
  }
}
