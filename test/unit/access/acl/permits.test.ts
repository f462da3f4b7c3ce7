import { describe, expect, test } from 'vitest';
import type { Account, Principal } from '../../../../src/access/accounts.ts';
import { ruleOf } from '../../../../src/access/acl/action-rules.ts';
import { permits } from '../../../../src/access/acl/permits.ts';
import { isAllowed } from '../../../../src/access/authorize.ts';
import { type Acl, ANONYMOUS_ID, type Grantee, PERMISSIONS, type Permission } from '../../../../src/protocol/acl/acl.ts';
import { OPERATION_TABLE } from '../../../../src/protocol/operation-table.ts';

function account(name: string): Principal {
  const fields: Account = { name, canonicalId: name, displayName: name, email: `${name}@example.com`, accountNumber: '1' };
  return { kind: 'account', account: fields, accessKeyId: name };
}

const owner = account('owner');
const friend = account('friend');
const stranger = account('stranger');
const anonymous: Principal = { kind: 'anonymous' };
const CALLERS = { owner, friend, stranger, anonymous };
type Caller = keyof typeof CALLERS;

const GRANTEES: readonly (readonly [string, Grantee, readonly Caller[]])[] = [
  ['the owner', { kind: 'owner' }, ['owner']],
  ['an account', { kind: 'account', id: 'friend' }, ['friend']],
  ['an account that is not configured', { kind: 'account', id: 'gone' }, []],
  ['the anonymous id', { kind: 'account', id: ANONYMOUS_ID }, ['anonymous']],
  ['AllUsers', { kind: 'group', group: 'AllUsers' }, ['owner', 'friend', 'stranger', 'anonymous']],
  ['AuthenticatedUsers', { kind: 'group', group: 'AuthenticatedUsers' }, ['owner', 'friend', 'stranger']],
  ['LogDelivery', { kind: 'group', group: 'LogDelivery' }, []],
];

describe('permits', () => {
  test.each(GRANTEES)('a grant to %s', (_name, grantee, callers) => {
    for (const permission of PERMISSIONS) {
      const acl: Acl = [{ grantee, permission }];
      for (const [name, caller] of Object.entries(CALLERS)) {
        for (const wanted of PERMISSIONS) {
          const covered = permission === wanted || permission === 'FULL_CONTROL';
          expect(permits({ ownerId: 'owner', acl }, caller, wanted), `${permission}, ${name} wants ${wanted}`).toBe(covered && callers.includes(name as Caller));
        }
      }
    }
  });

  test('without an ACL only the owner has access; an empty one grants nothing', () => {
    expect(Object.values(CALLERS).map((caller) => permits({ ownerId: 'owner' }, caller, 'READ'))).toEqual([true, false, false, false]);
    expect(permits({ ownerId: 'owner', acl: [] }, owner, 'READ')).toBe(false);
  });
});

describe('authorize', () => {
  const granting = (permission: Permission): Acl => [{ grantee: { kind: 'account', id: 'friend' }, permission }];
  const actions = [...new Set(OPERATION_TABLE.map((row) => row.permission))];

  test.each(actions)('%s needs exactly what its rule says', (action) => {
    const rule = ruleOf(action);
    for (const permission of PERMISSIONS) {
      for (const on of ['bucket', 'object'] as const) {
        const resource = { bucket: { ownerId: 'owner' }, object: { ownerId: 'owner' }, [on]: { ownerId: 'owner', acl: granting(permission) } };
        const expected = rule?.on === on && (permission === 'FULL_CONTROL' || permission === rule.permission);
        expect(isAllowed(friend, action, resource), `${permission} on the ${on}`).toBe(expected);
        expect(isAllowed(stranger, action, resource)).toBe(false);
        expect(isAllowed(anonymous, action, resource)).toBe(false);
        expect(isAllowed(owner, action, resource)).toBe(true);
      }
    }
  });

  test('an ACL that grants nothing does not lock the owner out', () => {
    expect(isAllowed(owner, 's3:PutBucketAcl', { bucket: { ownerId: 'owner', acl: [] } })).toBe(true);
    expect(isAllowed(owner, 's3:PutObjectAcl', { bucket: { ownerId: 'x' }, object: { ownerId: 'owner', acl: [] } })).toBe(true);
  });

  test('the owner of the bucket may not read what others own in it', () => {
    const resource = { bucket: { ownerId: 'owner' }, object: { ownerId: 'friend' } };
    expect(isAllowed(owner, 's3:GetObject', resource)).toBe(false);
    expect(isAllowed(friend, 's3:GetObject', resource)).toBe(true);
    expect(isAllowed(owner, 's3:DeleteObject', resource)).toBe(true);
  });

  test('an action on an object is refused as long as the object is not known', () => {
    expect(isAllowed(owner, 's3:GetObject', { bucket: { ownerId: 'owner' } })).toBe(false);
  });

  test.each([
    ['s3:PutObject', true, { owner: true, friend: true, stranger: false }],
    ['s3:PutObject', false, { owner: true, friend: false, stranger: false }],
    ['s3:ListMultipartUploadParts', false, { owner: true, friend: true, stranger: false }],
    ['s3:AbortMultipartUpload', false, { owner: true, friend: true, stranger: false }],
  ] as const)('%s in an upload of a friend, the bucket public: %s', (action, isPublic, expected) => {
    const acl: Acl = isPublic ? [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'WRITE' }] : [];
    const resource = { bucket: { ownerId: 'owner', acl }, upload: { ownerId: 'friend' } };
    const answers = { owner: isAllowed(owner, action, resource), friend: isAllowed(friend, action, resource), stranger: isAllowed(stranger, action, resource) };
    expect(answers).toEqual(expected);
    expect(isAllowed(anonymous, action, resource)).toBe(false);
  });
});
