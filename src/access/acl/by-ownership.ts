import { type OwningBucket, inForce } from './in-force.ts';
import { type Owned, idOf, owns, grantFor } from './permits.ts';
import type { AccessDecision, AccessRule } from '../../observe/access-facts.ts';
import type { Grant, Grantee, Permission } from '../../protocol/acl/acl.ts';
import type { Principal } from '../accounts.ts';

/**
 * Which ACL speaks about an action, and what it must grant. No ACL speaks about what is in an upload: that is its
 * initiator's. What keeps an object is told to the owner of the object besides that of the bucket.
 */
type ActionRule =
  | { readonly on: 'bucket' | 'object'; readonly permission: Permission }
  | { readonly on: 'upload' }
  | { readonly on: 'ownObject' };

/**
 * The actions that are open to others than the owner of the bucket. All others are the owner's alone.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#acl-access-policy-permission-mapping
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html#mpuAndPermissions
 */
export const ACTION_RULES: ReadonlyMap<string, ActionRule> = new Map(
  Object.entries<ActionRule>({
    's3:ListBucket': { on: 'bucket', permission: 'READ' },
    's3:ListBucketVersions': { on: 'bucket', permission: 'READ' },
    's3:ListBucketMultipartUploads': { on: 'bucket', permission: 'READ' },
    's3:PutObject': { on: 'bucket', permission: 'WRITE' },
    's3:DeleteObject': { on: 'bucket', permission: 'WRITE' },
    's3:GetBucketAcl': { on: 'bucket', permission: 'READ_ACP' },
    's3:PutBucketAcl': { on: 'bucket', permission: 'WRITE_ACP' },
    's3:GetObject': { on: 'object', permission: 'READ' },
    's3:GetObjectVersion': { on: 'object', permission: 'READ' },
    's3:GetObjectAttributes': { on: 'object', permission: 'READ' },
    's3:GetObjectVersionAttributes': { on: 'object', permission: 'READ' },
    's3:GetObjectAcl': { on: 'object', permission: 'READ_ACP' },
    's3:GetObjectVersionAcl': { on: 'object', permission: 'READ_ACP' },
    's3:PutObjectAcl': { on: 'object', permission: 'WRITE_ACP' },
    's3:PutObjectVersionAcl': { on: 'object', permission: 'WRITE_ACP' },
    's3:GetObjectRetention': { on: 'ownObject' },
    's3:GetObjectLegalHold': { on: 'ownObject' },
    's3:ListMultipartUploadParts': { on: 'upload' },
    's3:AbortMultipartUpload': { on: 'upload' },
  }),
);

/** What ownership and ACLs look at. */
export interface OwnedResource {
  /** Absent for actions that touch no bucket yet: ListBuckets, CreateBucket. */
  readonly bucket?: OwningBucket;
  /** Needed, with the bucket, for actions on an object. The owners of the two may differ. */
  readonly object?: Owned;
  /**
   * The caller is allowed to create the object and will own it, so the ACL that the request asks for needs no further
   * permission.
   */
  readonly creates?: boolean;
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
 * What ownership and ACLs say, of an account or of nobody: what policies limit a user to is no matter here. The owner
 * of a bucket may do everything to the bucket, the owner of an object everything to the object; ACLs let others in, as
 * far as the bucket's ownership controls and public access block leave them in force.
 *
 * @param action IAM action of the operation, e.g. `s3:PutObject`
 */
export function byOwnership(
  principal: Principal,
  action: string,
  { bucket, object, creates = false, upload }: OwnedResource,
): AccessDecision {
  const rule = ACTION_RULES.get(action);
  if (bucket === undefined) return rule === undefined && principal.kind === 'account' ? BY.account : REFUSED;
  if (rule?.on === 'object' && creates) return BY.objectOwner;
  if (rule?.on === 'object') {
    return object === undefined ? REFUSED : onObject(principal, inForce(object, bucket), rule.permission);
  }
  if (owns(principal, bucket)) return BY.bucketOwner;
  if (rule?.on === 'ownObject') {
    return object !== undefined && owns(principal, inForce(object, bucket)) ? BY.objectOwner : REFUSED;
  }
  if (upload !== undefined && !started(principal, upload)) return REFUSED;
  if (rule?.on === 'upload') return upload === undefined ? REFUSED : BY.uploadInitiator;
  return rule === undefined ? REFUSED : byGrant(grantFor(inForce(bucket, bucket), principal, rule.permission));
}

const by = (rule: AccessRule): AccessDecision => Object.freeze({ allowed: true, rule });
const BY = {
  account: by('account'),
  bucketOwner: by('bucketOwner'),
  objectOwner: by('objectOwner'),
  uploadInitiator: by('uploadInitiator'),
};
const REFUSED: AccessDecision = Object.freeze({ allowed: false, rule: 'none' });
const BY_GRANTEE: Readonly<Record<Grantee['kind'], AccessDecision>> = {
  owner: by('aclOwner'),
  account: by('aclAccount'),
  group: by('aclAuthenticatedUsers'),
};
const BY_EVERYBODY = by('aclAllUsers');

function onObject(principal: Principal, object: Owned, permission: Permission): AccessDecision {
  return owns(principal, object) ? BY.objectOwner : byGrant(grantFor(object, principal, permission));
}

function byGrant(grant: Grant | undefined): AccessDecision {
  if (grant === undefined) return REFUSED;
  const { grantee } = grant;
  return grantee.kind === 'group' && grantee.group === 'AllUsers' ? BY_EVERYBODY : BY_GRANTEE[grantee.kind];
}

function started(principal: Principal, upload: StartedUpload): boolean {
  if (owns(principal, upload)) return true;
  const { initiator } = upload;
  if (initiator === undefined || principal.kind === 'anonymous') return false;
  return initiator.id === idOf(principal) || initiator.id === principal.user?.arn;
}
