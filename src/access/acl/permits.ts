import {
  type Acl,
  ANONYMOUS_ID,
  type Grant,
  type Grantee,
  type Group,
  type Permission,
  PRIVATE,
} from '../../protocol/acl/acl.ts';
import type { Principal } from '../accounts.ts';

/** Something that has an owner and, perhaps, an ACL; without one it is private. */
export interface Owned {
  /** Canonical id. */
  readonly ownerId: string;
  readonly acl?: Acl | undefined;
}

/** Canonical id under which a caller owns things and is granted them. */
export function idOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? ANONYMOUS_ID : principal.account.canonicalId;
}

/** Whether the caller's account owns this. Its users act with its rights. */
export function owns(principal: Principal, { ownerId }: Pick<Owned, 'ownerId'>): boolean {
  return idOf(principal) === ownerId;
}

/** The grant of the ACL that gives the caller this permission, by name or by group. */
export function grantFor(
  { ownerId, acl = PRIVATE }: Owned,
  principal: Principal,
  wanted: Permission,
): Grant | undefined {
  return acl.find(
    ({ grantee, permission }) =>
      (permission === wanted || permission === 'FULL_CONTROL') && isGrantee(grantee, principal, ownerId),
  );
}

/** Whether there is such a grant. */
export function permits(thing: Owned, principal: Principal, wanted: Permission): boolean {
  return grantFor(thing, principal, wanted) !== undefined;
}

function isGrantee(grantee: Grantee, principal: Principal, ownerId: string): boolean {
  switch (grantee.kind) {
    case 'owner':
      return idOf(principal) === ownerId;
    case 'account':
      return idOf(principal) === grantee.id;
    case 'group':
      return MEMBERS[grantee.group](principal);
    default:
      return grantee satisfies never;
  }
}

const MEMBERS: Readonly<Record<Group, (principal: Principal) => boolean>> = {
  AllUsers: () => true,
  AuthenticatedUsers: (principal) => principal.kind === 'account',
  // The service's own group: no caller is in it.
  LogDelivery: () => false,
};
