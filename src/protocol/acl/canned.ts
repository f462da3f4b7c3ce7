import { invalidArgument } from '../../errors/s3-error.ts';
import type { Acl, Grant, Group, Permission } from './acl.ts';
import { PRIVATE } from './acl.ts';

/** What an ACL is of: the two kinds take different canned ones. */
type AclSubject = 'bucket' | 'object';

interface CannedAcl {
  readonly subjects: readonly AclSubject[];
  /** Grants beside the owner's FULL_CONTROL. */
  readonly groups?: readonly Grant[];
  /** What the owner of the bucket may do with an object that is not its own. */
  readonly bucketOwner?: Permission;
}

const BOTH = ['bucket', 'object'] as const;

/** Bucket-owner ACLs on a bucket say nothing; AWS ignores them, and so do the rows here. */
const CANNED: Readonly<Record<string, CannedAcl>> = {
  private: { subjects: BOTH },
  'public-read': { subjects: BOTH, groups: [toGroup('AllUsers', 'READ')] },
  'public-read-write': { subjects: BOTH, groups: [toGroup('AllUsers', 'READ'), toGroup('AllUsers', 'WRITE')] },
  'authenticated-read': { subjects: BOTH, groups: [toGroup('AuthenticatedUsers', 'READ')] },
  'aws-exec-read': { subjects: BOTH },
  'bucket-owner-read': { subjects: BOTH, bucketOwner: 'READ' },
  'bucket-owner-full-control': { subjects: BOTH, bucketOwner: 'FULL_CONTROL' },
  'log-delivery-write': {
    subjects: ['bucket'],
    groups: [toGroup('LogDelivery', 'WRITE'), toGroup('LogDelivery', 'READ_ACP')],
  },
};

function toGroup(group: Group, permission: Permission): Grant {
  return { grantee: { kind: 'group', group }, permission };
}

export interface CannedTarget {
  readonly subject: AclSubject;
  /** Canonical id of the owner of the bucket, for objects that belong to another account. */
  readonly bucketOwnerId: string;
  readonly ownerId: string;
}

/** The grants that a value of `x-amz-acl` stands for. @throws S3Error InvalidArgument */
export function expandCanned(name: string, { subject, bucketOwnerId, ownerId }: CannedTarget): Acl {
  const canned = Object.hasOwn(CANNED, name) ? CANNED[name] : undefined;
  if (canned?.subjects.includes(subject) !== true) throw invalidArgument('x-amz-acl', name, '');
  const { groups = [], bucketOwner } = canned;
  const forOwner: Grant[] =
    bucketOwner === undefined || ownerId === bucketOwnerId
      ? []
      : [{ grantee: { kind: 'account', id: bucketOwnerId }, permission: bucketOwner }];
  return [...PRIVATE, ...groups, ...forOwner];
}
