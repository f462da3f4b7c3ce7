import type { Permission } from './acl.ts';

/** A grantee as the client named it, not looked up yet. */
export interface RequestedGrantee {
  readonly type: 'id' | 'uri' | 'emailAddress';
  readonly value: string;
  /** What an error calls this place of the request: `id`, `CanonicalUser/ID`. */
  readonly argument: string;
}

export interface RequestedGrant {
  readonly grantee: RequestedGrantee;
  readonly permission: Permission;
}

/** S3's limit of grants in one list. */
export const MAX_GRANTS = 100;
