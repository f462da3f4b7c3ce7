/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html */
export const PERMISSIONS = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const GROUPS = ['AllUsers', 'AuthenticatedUsers', 'LogDelivery'] as const;
export type Group = (typeof GROUPS)[number];

/** Owner of what unsigned requests write: AWS's id of the anonymous user. No account may have it. */
export const ANONYMOUS_ID = '65a011a29cdf8ec533ec3d1ccaae921c';

export type Grantee =
  /** The owner of the bucket or object: its id stands there already. */
  | { readonly kind: 'owner' }
  | { readonly kind: 'account'; readonly id: string }
  | { readonly kind: 'group'; readonly group: Group };

export interface Grant {
  readonly grantee: Grantee;
  readonly permission: Permission;
}

/** The whole access control list of a bucket or object. Where one is absent, it is private. */
export type Acl = readonly Grant[];

/** The owner alone. */
export const PRIVATE: Acl = [{ grantee: { kind: 'owner' }, permission: 'FULL_CONTROL' }];

export function isPrivate(acl: Acl): boolean {
  const [only] = acl;
  return acl.length === 1 && only?.grantee.kind === 'owner' && only.permission === 'FULL_CONTROL';
}

/** Groups that every caller is in, or can make an account to be in. */
const PUBLIC_GROUPS: readonly Group[] = ['AllUsers', 'AuthenticatedUsers'];

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html#access-control-block-public-access-policy-status
 */
export function isPublicGrant({ grantee }: Grant): boolean {
  return grantee.kind === 'group' && PUBLIC_GROUPS.includes(grantee.group);
}

/** Whether it grants anything to another than the owner. */
export function grantsOthers(acl: Acl): boolean {
  return acl.some(({ grantee }) => grantee.kind !== 'owner');
}

const GROUP_URI: Readonly<Record<Group, string>> = {
  AllUsers: 'http://acs.amazonaws.com/groups/global/AllUsers',
  AuthenticatedUsers: 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers',
  LogDelivery: 'http://acs.amazonaws.com/groups/s3/LogDelivery',
};

export function uriOfGroup(group: Group): string {
  return GROUP_URI[group];
}

export function groupOfUri(uri: string): Group | undefined {
  return GROUPS.find((group) => GROUP_URI[group] === uri);
}
