import { describe, expect, test } from 'vitest';
import type { Account, Principal } from '../../../../src/access/accounts.ts';
import { ACTION_RULES } from '../../../../src/access/acl/by-ownership.ts';
import type { OwningBucket } from '../../../../src/access/acl/in-force.ts';
import { permits } from '../../../../src/access/acl/permits.ts';
import { type Resource, isAllowed } from '../../../../src/access/authorize.ts';
import {
  type Acl,
  ANONYMOUS_ID,
  type Grantee,
  PERMISSIONS,
  type Permission,
} from '../../../../src/protocol/acl/acl.ts';
import type { PublicAccessBlock } from '../../../../src/protocol/acl/ownership.ts';
import { OPERATION_TABLE } from '../../../../src/protocol/operation-table.ts';

function accountOf(name: string): Account {
  return { name, canonicalId: name, displayName: name, email: `${name}@example.com`, accountNumber: '1' };
}

function account(name: string): Principal {
  return { kind: 'account', account: accountOf(name), accessKeyId: name };
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
          expect(permits({ ownerId: 'owner', acl }, caller, wanted), `${permission}, ${name} wants ${wanted}`).toBe(
            covered && callers.includes(name as Caller),
          );
        }
      }
    }
  });

  test('without an ACL only the owner has access; an empty one grants nothing', () => {
    expect(Object.values(CALLERS).map((caller) => permits({ ownerId: 'owner' }, caller, 'READ'))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(permits({ ownerId: 'owner', acl: [] }, owner, 'READ')).toBe(false);
  });
});

describe('authorize', () => {
  const granting = (permission: Permission): Acl => [{ grantee: { kind: 'account', id: 'friend' }, permission }];
  const actions = [...new Set(OPERATION_TABLE.map((row) => row.permission))];

  test.each(actions)('%s needs exactly what its rule says', (action) => {
    const rule = ACTION_RULES.get(action);
    for (const permission of PERMISSIONS) {
      for (const on of ['bucket', 'object'] as const) {
        const acl = granting(permission);
        const resource = {
          bucket: { name: 'b', ownerId: 'owner', settings: {}, ...(on === 'bucket' && { acl }) },
          object: { ownerId: 'owner', ...(on === 'object' && { acl }) },
        };
        const expected = rule?.on === on && (permission === 'FULL_CONTROL' || permission === rule.permission);
        expect(isAllowed(friend, action, resource), `${permission} on the ${on}`).toBe(expected);
        expect(isAllowed(stranger, action, resource)).toBe(false);
        expect(isAllowed(anonymous, action, resource)).toBe(false);
        expect(isAllowed(owner, action, resource)).toBe(true);
      }
    }
  });

  test('an ACL that grants nothing does not lock the owner out', () => {
    expect(
      isAllowed(owner, 's3:PutBucketAcl', { bucket: { name: 'b', ownerId: 'owner', acl: [], settings: {} } }),
    ).toBe(true);
    expect(
      isAllowed(owner, 's3:PutObjectAcl', {
        bucket: { name: 'b', ownerId: 'x', settings: {} },
        object: { ownerId: 'owner', acl: [] },
      }),
    ).toBe(true);
  });

  test('the owner of the bucket may not read what others own in it', () => {
    const resource = { bucket: { name: 'b', ownerId: 'owner', settings: {} }, object: { ownerId: 'friend' } };
    expect(isAllowed(owner, 's3:GetObject', resource)).toBe(false);
    expect(isAllowed(friend, 's3:GetObject', resource)).toBe(true);
    expect(isAllowed(owner, 's3:DeleteObject', resource)).toBe(true);
  });

  test('an action on an object is refused as long as object or bucket are not known', () => {
    expect(isAllowed(owner, 's3:GetObject', { object: { ownerId: 'owner' } })).toBe(false);
    expect(isAllowed(owner, 's3:GetObject', { bucket: { name: 'b', ownerId: 'owner', settings: {} } })).toBe(false);
  });

  test.each([
    ['s3:PutObject', true, { owner: true, friend: true, stranger: false }],
    ['s3:PutObject', false, { owner: true, friend: false, stranger: false }],
    ['s3:ListMultipartUploadParts', false, { owner: true, friend: true, stranger: false }],
    ['s3:AbortMultipartUpload', false, { owner: true, friend: true, stranger: false }],
  ] as const)('%s in an upload of a friend, the bucket public: %s', (action, isPublic, expected) => {
    const acl: Acl = isPublic ? [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'WRITE' }] : [];
    const resource = { bucket: { name: 'b', ownerId: 'owner', acl, settings: {} }, upload: { ownerId: 'friend' } };
    const answers = {
      owner: isAllowed(owner, action, resource),
      friend: isAllowed(friend, action, resource),
      stranger: isAllowed(stranger, action, resource),
    };
    expect(answers).toEqual(expected);
    expect(isAllowed(anonymous, action, resource)).toBe(false);
  });

  test("an upload that makes an object of somebody else is still its initiator's", () => {
    const acl: Acl = [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'WRITE' }];
    const user: Principal = {
      kind: 'account',
      account: accountOf('stranger'),
      user: { name: 'u', arn: 'arn:u', permissions: 'account' },
      accessKeyId: 'u',
    };
    const started = (id: string): Resource => ({
      bucket: { name: 'b', ownerId: 'owner', acl, settings: {} },
      upload: { ownerId: 'owner', initiator: { id } },
    });
    for (const action of ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts']) {
      const may = (caller: Principal, id: string): boolean => isAllowed(caller, action, started(id));
      const isPut = action === 's3:PutObject';
      expect([may(friend, 'friend'), may(owner, 'friend'), may(user, 'arn:u')], action).toEqual([true, true, true]);
      expect(
        [may(stranger, 'friend'), may(stranger, 'arn:u'), may(anonymous, ANONYMOUS_ID), may(user, 'arn:v')],
        action,
      ).toEqual([false, false, false, false]);
      expect(
        isAllowed(friend, action, { ...started('friend'), bucket: { name: 'b', ownerId: 'owner', settings: {} } }),
        action,
      ).toBe(!isPut);
    }
  });
});

describe('what a bucket makes of ACLs', () => {
  const PUBLIC: Acl = [
    { grantee: { kind: 'group', group: 'AllUsers' }, permission: 'FULL_CONTROL' },
    { grantee: { kind: 'group', group: 'AuthenticatedUsers' }, permission: 'FULL_CONTROL' },
    { grantee: { kind: 'account', id: 'friend' }, permission: 'FULL_CONTROL' },
  ];
  const OFF: PublicAccessBlock = {
    blockPublicAcls: false,
    ignorePublicAcls: false,
    blockPublicPolicy: false,
    restrictPublicBuckets: false,
  };
  const ALL: readonly Caller[] = ['owner', 'friend', 'stranger', 'anonymous'];

  test.each<[string, OwningBucket['settings'], bucket: readonly Caller[], object: readonly (Caller | 'writer')[]]>([
    ['nothing set', {}, ALL, ALL],
    ['ObjectWriter', { ownership: 'ObjectWriter' }, ALL, ALL],
    ['BucketOwnerPreferred', { ownership: 'BucketOwnerPreferred' }, ALL, ALL],
    ['BucketOwnerEnforced', { ownership: 'BucketOwnerEnforced' }, ['owner'], ['owner']],
    [
      'a block of everything else',
      { publicAccessBlock: { ...OFF, blockPublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: true } },
      ALL,
      ALL,
    ],
    [
      'public ACLs ignored',
      { publicAccessBlock: { ...OFF, ignorePublicAcls: true } },
      ['owner', 'friend'],
      ['friend', 'writer'],
    ],
  ])('%s', (_name, settings, onBucket, onObject) => {
    const callers = { ...CALLERS, writer: account('writer') };
    const bucket = { name: 'b', ownerId: 'owner', acl: PUBLIC, settings };
    const object = { ownerId: 'writer', acl: PUBLIC };
    for (const [name, caller] of Object.entries(callers)) {
      const everybody = onBucket.length === ALL.length;
      for (const action of ['s3:ListBucket', 's3:PutObject', 's3:DeleteObject', 's3:GetBucketAcl', 's3:PutBucketAcl']) {
        expect(isAllowed(caller, action, { bucket }), `${name} ${action}`).toBe(
          everybody || onBucket.some((who) => who === name),
        );
      }
      for (const action of ['s3:GetObject', 's3:GetObjectAttributes', 's3:GetObjectAcl', 's3:PutObjectAcl']) {
        expect(isAllowed(caller, action, { bucket, object }), `${name} ${action}`).toBe(
          everybody || onObject.some((who) => who === name),
        );
      }
    }
  });
});
