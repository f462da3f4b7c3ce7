import { S3Error } from '../errors/s3-error.ts';
import type { Principal } from './accounts.ts';

/** Who owns what an action touches. Canonical ids. */
export interface ResourceOwners {
  /** Absent for actions that touch no bucket yet: ListBuckets, CreateBucket. */
  readonly bucketOwnerId?: string;
  /** Owner of the object, where it may differ from the bucket's. */
  readonly objectOwnerId?: string;
}

/**
 * The one decision on what a caller may do. The account that owns the bucket may do everything, and
 * its users with it; nobody else may do anything. ACLs and bucket policies are asked here.
 *
 * @param action IAM action of the operation, e.g. `s3:PutObject`
 * @throws S3Error AccessDenied
 */
export function authorize(principal: Principal, action: string, owners: ResourceOwners = {}): void {
  if (!isAllowed(principal, owners)) {
    throw new S3Error('AccessDenied', { cause: new Error(`${describe(principal)} may not ${action}`) });
  }
}

function isAllowed(principal: Principal, owners: ResourceOwners): boolean {
  switch (principal.kind) {
    case 'anonymous':
      return false;
    case 'account':
      return owners.bucketOwnerId === undefined || owners.bucketOwnerId === principal.account.canonicalId;
    default:
      return principal satisfies never;
  }
}

/** Stays in the cause: an answer never says why. */
function describe(principal: Principal): string {
  if (principal.kind === 'anonymous') return 'an anonymous caller';
  return principal.user === undefined ? `account ${principal.account.name}` : `user ${principal.user.arn}`;
}
