import type { Permission } from '../../protocol/acl/acl.ts';

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
