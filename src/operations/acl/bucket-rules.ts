import { S3Error } from '../../errors/s3-error.ts';
import type { BucketSettings } from '../../manifest/index.ts';
import { type Acl, grantsOthers, isPublicGrant } from '../../protocol/acl/acl.ts';

/**
 * Refuses ACLs where the owner of the bucket owns all objects in it (BucketOwnerEnforced).
 * @throws S3Error AccessControlListNotSupported
 */
export function requireAcls({ ownership }: BucketSettings): void {
  if (ownership === 'BucketOwnerEnforced') throw new S3Error('AccessControlListNotSupported');
}

/** Refuses an ACL that grants to all callers, if the public access block forbids that. @throws S3Error AccessDenied */
export function refusePublicAcl(acl: Acl, { publicAccessBlock }: BucketSettings): void {
  if (publicAccessBlock?.blockPublicAcls !== true || !acl.some(isPublicGrant)) return;
  throw new S3Error('AccessDenied', { cause: new Error('the public access block refuses public ACLs') });
}

/**
 * Refuses BucketOwnerEnforced as long as the bucket's ACL grants something to others, who would lose it.
 * @throws S3Error InvalidBucketAclWithObjectOwnership
 */
export function requireOwnAcl({ ownership, acl }: BucketSettings): void {
  if (ownership === 'BucketOwnerEnforced' && acl !== undefined && grantsOthers(acl)) {
    throw new S3Error('InvalidBucketAclWithObjectOwnership');
  }
}
