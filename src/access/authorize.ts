import { S3Error } from '../errors/s3-error.ts';
import { type OwningBucket, inForce } from './acl/in-force.ts';
import { type Owned, idOf, owns, permits } from './acl/permits.ts';
import { ruleOf } from './acl/action-rules.ts';
import type { Permission } from '../protocol/acl/acl.ts';
import type { Principal } from './accounts.ts';

/** What an action touches. */
export interface Resource {
  /** Absent for actions that touch no bucket yet: ListBuckets, CreateBucket. */
  readonly bucket?: OwningBucket;
  /** Needed for actions on what is in an object, with the bucket; its owner may be another than the bucket's. */
  readonly object?: Owned;
  /** The multipart upload: others than the owner of the bucket work on their own ones only. */
  readonly upload?: StartedUpload;
}

/** Who started an upload; the object need not become theirs. */
export interface StartedUpload {
  /** Canonical id of the owner of what it makes. */
  readonly ownerId: string;
  /** ARN of a user, or canonical id. Absent: the owner. */
  readonly initiator?: { readonly id: string };
}

/**
 * The one decision on what a caller may do. The owner of a bucket may do everything to the bucket, the
 * owner of an object everything to the object, their users with them; ACLs let others in, as far as the
 * bucket's ownership controls and public access block leave them in force. Bucket policies are asked here.
 *
 * @param action IAM action of the operation, e.g. `s3:PutObject`
 * @throws S3Error AccessDenied
 */
export function authorize(principal: Principal, action: string, resource: Resource = {}): void {
  if (!isAllowed(principal, action, resource)) {
    throw new S3Error('AccessDenied', { cause: new Error(`${describe(principal)} may not ${action}`) });
  }
}

/** The same decision as an answer, for what depends on it without being refused. */
export function isAllowed(principal: Principal, action: string, { bucket, object, upload }: Resource): boolean {
  const rule = ruleOf(action);
  if (bucket === undefined) return rule === undefined && principal.kind === 'account';
  if (rule?.on === 'object') return object !== undefined && mayAccess(principal, inForce(object, bucket), rule.permission);
  if (owns(principal, bucket)) return true;
  if (rule?.on === 'ownObject') return object !== undefined && owns(principal, inForce(object, bucket));
  if (upload !== undefined && !started(principal, upload)) return false;
  if (rule?.on === 'upload') return upload !== undefined;
  return rule !== undefined && permits(inForce(bucket, bucket), principal, rule.permission);
}

function mayAccess(principal: Principal, object: Owned, permission: Permission): boolean {
  return owns(principal, object) || permits(object, principal, permission);
}

function started(principal: Principal, upload: StartedUpload): boolean {
  if (owns(principal, upload)) return true;
  const { initiator } = upload;
  if (initiator === undefined || principal.kind === 'anonymous') return false;
  return initiator.id === idOf(principal) || initiator.id === principal.user?.arn;
}

/** Stays in the cause: an answer never says why. */
function describe(principal: Principal): string {
  if (principal.kind === 'anonymous') return 'an anonymous caller';
  return principal.user === undefined ? `account ${principal.account.name}` : `user ${principal.user.arn}`;
}
