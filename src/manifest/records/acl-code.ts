import { type Acl, type Grant, type Grantee, type Group, type Permission, isPrivate } from '../../protocol/acl/acl.ts';

/**
 * An ACL as records keep it: one text a grant, a letter for the permission and then the grantee: nothing
 * (the owner), `@` and a letter (a group), or `=` and a canonical id. `public-read` is `["f","r@a"]`.
 */
export type AclCode = readonly string[];

const LETTER: Readonly<Record<Permission, string>> = {
  READ: 'r',
  WRITE: 'w',
  READ_ACP: 'R',
  WRITE_ACP: 'W',
  FULL_CONTROL: 'f',
};
const GROUP_LETTER: Readonly<Record<Group, string>> = { AllUsers: 'a', AuthenticatedUsers: 'u', LogDelivery: 'l' };

const PERMISSION_OF = inverse(LETTER);
const GROUP_OF = inverse(GROUP_LETTER);

/** @returns undefined for a private one, which is what the absence of an ACL says */
export function encodeAcl(acl: Acl | undefined): AclCode | undefined {
  if (acl === undefined || isPrivate(acl)) return undefined;
  return acl.map(({ permission, grantee }) => `${LETTER[permission]}${granteeCode(grantee)}`);
}

export function isSameAcl(one: Acl | undefined, other: Acl | undefined): boolean {
  return JSON.stringify(encodeAcl(one)) === JSON.stringify(encodeAcl(other));
}

/** @throws Error for what this release does not know: to guess would open or close a door */
export function decodeAcl(code: AclCode): Acl {
  return code.map(decodeGrant);
}

function granteeCode(grantee: Grantee): string {
  switch (grantee.kind) {
    case 'owner':
      return '';
    case 'group':
      return `@${GROUP_LETTER[grantee.group]}`;
    case 'account':
      return `=${grantee.id}`;
    default:
      return grantee satisfies never;
  }
}

function decodeGrant(code: string): Grant {
  const permission = PERMISSION_OF.get(code.slice(0, 1));
  const grantee = decodeGrantee(code.slice(1));
  if (permission === undefined || grantee === undefined) {
    throw new Error(`grant ${code} cannot be read by this release`);
  }
  return { grantee, permission };
}

function decodeGrantee(code: string): Grantee | undefined {
  if (code === '') return { kind: 'owner' };
  if (code.startsWith('=')) return { kind: 'account', id: code.slice(1) };
  const group = code.startsWith('@') ? GROUP_OF.get(code.slice(1)) : undefined;
  return group === undefined ? undefined : { kind: 'group', group };
}

function inverse<K extends string>(letters: Readonly<Record<K, string>>): ReadonlyMap<string, K> {
  return new Map((Object.keys(letters) as K[]).map((name) => [letters[name], name]));
}
