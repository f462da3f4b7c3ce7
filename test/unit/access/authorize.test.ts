import { describe, expect, it } from 'vitest';
import type { Account, Principal } from '../../../src/access/accounts.ts';
import { decide } from '../../../src/access/authorize.ts';
import type { NamedPolicy } from '../../../src/access/policy/document.ts';
import type { Acl } from '../../../src/protocol/acl/acl.ts';
import { named } from './policy/policies.ts';

const account = (name: string, digit: string): Account => ({
  name,
  canonicalId: name,
  displayName: name,
  email: `${name}@example.com`,
  accountNumber: digit.repeat(12),
});
const MAIN = account('main', '1');
const OTHER = account('other', '2');
const GET = 's3:GetObject';

const one = (fields: object, kind: 'identity' | 'session' = 'identity', name = 'p'): NamedPolicy =>
  named(JSON.stringify({ Statement: { Effect: 'Allow', Action: GET, Resource: '*', ...fields } }), kind, name);
const ALLOW = [one({})];
const DENY = [one({ Effect: 'Deny', Sid: 'No' })];
const ROLE = { name: 'r', arn: 'arn:aws:iam::111111111111:role/r' };

function user(permissions: 'account' | readonly NamedPolicy[] | undefined, of: Account = MAIN): Principal {
  const arn = `arn:aws:iam::${of.accountNumber}:user/u`;
  return {
    kind: 'account',
    account: of,
    accessKeyId: 'k',
    user: { name: 'u', arn, ...(permissions !== undefined && { permissions }) },
  };
}

function session(permissions: readonly NamedPolicy[], policies?: readonly NamedPolicy[]): Principal {
  const shown = { name: 'r/s', arn: 'arn:aws:sts::111111111111:assumed-role/r/s', permissions };
  return {
    kind: 'account',
    account: MAIN,
    accessKeyId: 'k',
    user: shown,
    session: { role: ROLE, issuedAt: 0, expiresAt: 1, ...(policies && { policies }) },
  };
}

const root = (of: Account): Principal => ({ kind: 'account', account: of, accessKeyId: 'k' });
const NOBODY: Principal = { kind: 'anonymous' };

const forBucket = (Principal: unknown, fields: object = {}): string =>
  JSON.stringify({ Statement: { Effect: 'Allow', Principal, Action: GET, Resource: 'arn:aws:s3:::b/*', ...fields } });
const ANYONE = forBucket('*');
const TO_MAIN = forBucket({ AWS: '111111111111' });
const TO_OTHER = forBucket({ AWS: '222222222222' });
const TO_USER = forBucket({ AWS: 'arn:aws:iam::111111111111:user/u' });
const TO_ROLE = forBucket({ AWS: ROLE.arn });
const TO_SESSION = forBucket({ AWS: 'arn:aws:sts::111111111111:assumed-role/r/s' });
const DENIED = forBucket('*', { Effect: 'Deny' });

const PUBLIC: Acl = [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }];
const AUTHENTICATED: Acl = [{ grantee: { kind: 'group', group: 'AuthenticatedUsers' }, permission: 'READ' }];

interface World {
  readonly policy?: string;
  readonly acl?: Acl;
  readonly objectOwner?: string;
}

function decided(principal: Principal, { policy, acl, objectOwner = 'main' }: World = {}): string {
  const bucket = { name: 'b', ownerId: 'main', settings: policy === undefined ? {} : { policy } };
  const { allowed, rule } = decide(principal, GET, {
    bucket,
    key: 'k',
    object: { ownerId: objectOwner, ...(acl && { acl }) },
  });
  return `${allowed ? 'yes' : 'no'} ${rule}`;
}

describe('one side is enough within the account, across accounts it takes both', () => {
  it.each<[string, Principal, World, string]>([
    ['the account', root(MAIN), {}, 'yes objectOwner'],
    ['the account, denied by the bucket', root(MAIN), { policy: DENIED }, 'no bucketPolicy'],
    ['a user for the account', user('account'), {}, 'yes objectOwner'],
    ['a user without policies', user([]), {}, 'no none'],
    ['a user of whom nothing is said', user(undefined), {}, 'no none'],
    ['a user who is allowed', user(ALLOW), {}, 'yes identityPolicy'],
    ['a user who is denied', user([...ALLOW, ...DENY]), {}, 'no identityPolicy'],
    ['a user who is denied, and let by the bucket', user(DENY), { policy: TO_USER }, 'no identityPolicy'],
    ['a user who is allowed, and denied by the bucket', user(ALLOW), { policy: DENIED }, 'no bucketPolicy'],
    ['a user without policies, named by the bucket', user([]), { policy: TO_USER }, 'yes bucketPolicy'],
    ['a user without policies, everybody let by the bucket', user([]), { policy: ANYONE }, 'yes bucketPolicy'],
    ['a user without policies, the account let by the bucket', user([]), { policy: TO_MAIN }, 'no none'],
    ['a user without policies, everybody let by the ACL', user([]), { acl: PUBLIC }, 'yes aclAllUsers'],
    ['a user without policies, accounts let by the ACL', user([]), { acl: AUTHENTICATED }, 'no none'],
    ['another account', root(OTHER), {}, 'no none'],
    ['another account, let by the bucket', root(OTHER), { policy: TO_OTHER }, 'yes bucketPolicy'],
    ['another account, let by the ACL', root(OTHER), { acl: AUTHENTICATED }, 'yes aclAuthenticatedUsers'],
    ['a user of another account, who is allowed', user(ALLOW, OTHER), {}, 'no none'],
    ['a user of another account, let by the bucket', user([], OTHER), { policy: TO_OTHER }, 'no none'],
    ['a user of another account, let by both', user(ALLOW, OTHER), { policy: TO_OTHER }, 'yes bucketPolicy'],
    ['a user of another account, everybody let by the ACL', user([], OTHER), { acl: PUBLIC }, 'no none'],
    [
      'a user of another account, who is allowed, by the ACL',
      user(ALLOW, OTHER),
      { acl: PUBLIC },
      'yes identityPolicy',
    ],
    ['nobody', NOBODY, {}, 'no none'],
    ['nobody, let by the bucket', NOBODY, { policy: ANYONE }, 'yes bucketPolicy'],
    ['nobody, an account let by the bucket', NOBODY, { policy: TO_OTHER }, 'no none'],
    ['nobody, let by the ACL and denied by the bucket', NOBODY, { acl: PUBLIC, policy: DENIED }, 'no bucketPolicy'],
    [
      "an object of another account is not the bucket's to give",
      NOBODY,
      { objectOwner: 'other', policy: ANYONE },
      'no none',
    ],
    ['its owner has it', root(OTHER), { objectOwner: 'other' }, 'yes objectOwner'],
    ['unless the bucket denies', root(OTHER), { objectOwner: 'other', policy: DENIED }, 'no bucketPolicy'],
  ])('%s', (_name, principal, world, expected) => {
    expect(decided(principal, world)).toBe(expected);
  });

  const ELSE = [one({ Action: 's3:PutObject' }, 'session')];
  it.each<[string, Principal, World, string]>([
    ['a session without policy of its own', session(ALLOW), {}, 'yes identityPolicy'],
    ['a session within its policy', session(ALLOW, [one({}, 'session')]), {}, 'yes identityPolicy'],
    ['a session beyond its policy', session(ALLOW, ELSE), {}, 'no none'],
    ['a policy of a session gives nothing', session([], [one({}, 'session')]), {}, 'no none'],
    ['a session denied by its policy', session(ALLOW, [one({ Effect: 'Deny' }, 'session')]), {}, 'no sessionPolicy'],
    ['the role let by the bucket, within', session([], [one({}, 'session')]), { policy: TO_ROLE }, 'yes bucketPolicy'],
    ['the role let by the bucket, beyond', session([], ELSE), { policy: TO_ROLE }, 'no none'],
    ['everybody let by the bucket, beyond', session(ALLOW, ELSE), { policy: ANYONE }, 'no none'],
    ['the session itself let by the bucket, beyond', session([], ELSE), { policy: TO_SESSION }, 'yes bucketPolicy'],
    ['everybody let by the ACL, beyond', session([], ELSE), { acl: PUBLIC }, 'no none'],
  ])('%s', (_name, principal, world, expected) => {
    expect(decided(principal, world)).toBe(expected);
  });
});

describe('why', () => {
  const bucket = { name: 'b', ownerId: 'main', settings: { policy: DENIED } };

  it('names the statement that denies, and what was looked at', () => {
    const reasons = decide(
      user([...ALLOW, one({ Action: 's3:PutObject', Sid: 'Write' }, 'identity', 'writers')]),
      GET,
      { bucket, key: 'k', object: { ownerId: 'main' } },
    ).reasons;
    expect(reasons?.()).toEqual({
      resource: 'arn:aws:s3:::b/k',
      by: { policy: 'bucket policy', statement: '1', effect: 'Deny' },
      looked: [
        { policy: 'p', statement: '1', effect: 'Allow' },
        { policy: 'writers', statement: 'Write', effect: 'Allow', mismatch: 'action' },
        { policy: 'bucket policy', statement: '1', effect: 'Deny' },
      ],
    });
  });

  it.each<[string, Principal, string | undefined, string[]]>([
    [
      'a user',
      user([]),
      undefined,
      ['a policy of the caller {"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/k${*}"}'],
    ],
    [
      'another account',
      root(OTHER),
      TO_MAIN,
      [
        'bucket policy {"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::222222222222:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/k${*}"}',
      ],
    ],
    [
      'nobody',
      NOBODY,
      TO_MAIN,
      ['bucket policy {"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/k${*}"}'],
    ],
  ])('says what would let %s', (_name, principal, policy, expected) => {
    const here = { name: 'b', ownerId: 'main', settings: policy === undefined ? {} : { policy } };
    const { remedies } =
      decide(principal, GET, { bucket: here, key: 'k*', object: { ownerId: 'main' } }).reasons?.() ?? {};
    expect(remedies?.map(({ document, statement }) => `${document} ${statement}`)).toEqual(expected);
  });

  it('tells whether the policy decided, when it says the same to all', () => {
    const here = { name: 'b', ownerId: 'main', settings: { policy: ANYONE } };
    const by = (principal: Principal): unknown => {
      const { reasons } = decide(principal, GET, { bucket: here, key: 'k', object: { ownerId: 'main' } });
      return reasons?.().by?.policy;
    };
    const expected = [undefined, 'bucket policy', undefined, 'bucket policy'];
    expect([root(MAIN), NOBODY, root(MAIN), NOBODY].map(by)).toEqual(expected);
  });

  it('names a hundred statements, whatever was told before', () => {
    const fields = { Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::b/*' };
    const many = Array.from({ length: 60 }, () => fields);
    const policy = JSON.stringify({ Statement: many.map(() => ({ ...fields, Principal: '*' })) });
    const here = { name: 'b', ownerId: 'main', settings: { policy } };
    const looked = (principal: Principal): unknown => {
      const { reasons } = decide(principal, GET, { bucket: here, key: 'k', object: { ownerId: 'main' } });
      const explained = reasons?.();
      return [explained?.looked.length, explained?.omitted];
    };
    const callers = [root(MAIN), user([named(JSON.stringify({ Statement: many }))]), root(MAIN)];
    expect(callers.map(looked)).toEqual([
      [60, undefined],
      [100, 20],
      [60, undefined],
    ]);
  });

  it('what would let a user of another account is a statement on each side, and is enough', () => {
    const here = { name: 'b', ownerId: 'main', settings: { policy: TO_MAIN } };
    const ask = (principal: Principal, settings: object): ReturnType<typeof decide> =>
      decide(principal, GET, { bucket: { ...here, settings }, key: 'k', object: { ownerId: 'main' } });
    const [own, ofBucket] = ask(user([], OTHER), here.settings).reasons?.().remedies ?? [];
    const wrap = (text = ''): string =>
      JSON.stringify({ Version: '2012-10-17', Statement: JSON.parse(text) as unknown });
    const helped = user([named(wrap(own?.statement))], OTHER);
    expect(ask(helped, here.settings).allowed).toBe(false);
    expect(ask(helped, { policy: wrap(ofBucket?.statement) }).allowed).toBe(true);
  });
});
