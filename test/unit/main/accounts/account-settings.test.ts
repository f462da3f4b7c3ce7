import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT } from '../../../../config/schema-accounts.ts';
import type { AccountDirectory, Permissions } from '../../../../src/access/accounts.ts';
import type { PolicyContext } from '../../../../src/access/policy/context.ts';
import { evaluate } from '../../../../src/access/policy/evaluate.ts';
import { accountDirectory } from '../../../../src/main/accounts/account-settings.ts';
import { StartError } from '../../../../src/main/start-error.ts';

const NUMBER = '123456789012';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function directory(more: object, others: object[] = []): AccountDirectory {
  const accounts = [{ name: 'main', accountNumber: NUMBER, ...more }, ...others].map((account) =>
    ACCOUNT.parse(account),
  );
  return accountDirectory(accounts, { folder, environment: {} });
}

function complaints(more: object): readonly string[] {
  try {
    directory(more);
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.lines;
    throw error;
  }
}

const CALLER = { arns: [], isRoot: false };

/** What permissions say to an action on a bucket or object. */
function says(
  permissions: Permissions | undefined,
  action: string,
  path: string,
  keys: Record<string, string> = {},
): string {
  if (permissions === undefined || permissions === 'account') return String(permissions);
  const context: PolicyContext = {
    caller: CALLER,
    action: `s3:${action}`,
    resource: `arn:aws:s3:::${path}`,
    keys: { get: (name) => keys[name] },
  };
  return evaluate(permissions, context).effect;
}

const userArn = (name: string): string => `arn:aws:iam::${NUMBER}:user/${name}`;

describe('accounts as they are configured', () => {
  it('a user has an ARN and an id of its own', () => {
    const { user } = directory({ users: [{ name: 'alice', tags: { team: 'a' } }] }).user(userArn('alice')) ?? {};
    expect(user).toMatchObject({ name: 'alice', arn: userArn('alice'), tags: { team: 'a' }, permissions: [] });
    expect(user?.id).toMatch(/^AIDA[A-Z2-7]{17}$/);
  });

  it('a user without a policy may do nothing, one with `policy: account` everything', () => {
    const users = directory({ users: [{ name: 'none' }, { name: 'all', policy: 'account' }] });
    expect(users.user(userArn('none'))?.user.permissions).toEqual([]);
    expect(users.user(userArn('all'))?.user.permissions).toBe('account');
  });

  it.each<[string, object, [string, string, Record<string, string>, string][]]>([
    [
      'buckets',
      { buckets: ['a', 'logs-*'] },
      [
        ['ListBucket', 'a', {}, 'allow'],
        ['GetObject', 'a/k', {}, 'allow'],
        ['PutObject', 'logs-1/k', {}, 'allow'],
        ['DeleteObject', 'logs-/x/y', {}, 'allow'],
        ['GetObject', 'b/k', {}, 'none'],
        ['GetObject', 'ab/k', {}, 'none'],
        ['PutBucketPolicy', 'a', {}, 'none'],
        ['PutObjectAcl', 'a/k', {}, 'none'],
        ['BypassGovernanceRetention', 'a/k', {}, 'none'],
        ['DeleteBucket', 'a', {}, 'none'],
        ['CreateBucket', 'a', {}, 'none'],
      ],
    ],
    [
      'readOnly',
      { buckets: ['a'], readOnly: true },
      [
        ['GetObject', 'a/k', {}, 'allow'],
        ['GetObjectVersion', 'a/k', {}, 'allow'],
        ['ListBucket', 'a', {}, 'allow'],
        ['PutObject', 'a/k', {}, 'none'],
        ['DeleteObject', 'a/k', {}, 'none'],
        ['AbortMultipartUpload', 'a/k', {}, 'none'],
        ['PutObjectTagging', 'a/k', {}, 'none'],
      ],
    ],
    [
      'prefix',
      { buckets: ['a'], prefix: 'team/' },
      [
        ['GetObject', 'a/team/k', {}, 'allow'],
        ['PutObject', 'a/team/', {}, 'allow'],
        ['GetObject', 'a/teams', {}, 'none'],
        ['GetObject', 'a/other/team/k', {}, 'none'],
        ['ListBucket', 'a', { 's3:prefix': 'team/' }, 'allow'],
        ['ListBucket', 'a', { 's3:prefix': 'team/x' }, 'allow'],
        ['ListBucket', 'a', {}, 'none'],
        ['ListBucket', 'a', { 's3:prefix': '' }, 'none'],
        ['ListBucket', 'a', { 's3:prefix': 'tea' }, 'none'],
        ['ListBucketMultipartUploads', 'a', {}, 'none'],
        ['GetBucketLocation', 'a', {}, 'allow'],
        ['PutObjectAcl', 'a/team/k', { 's3:x-amz-acl': 'private' }, 'allow'],
        ['PutObjectAcl', 'a/other/k', { 's3:x-amz-acl': 'private' }, 'none'],
      ],
    ],
    [
      'ACLs that change nothing, which some clients send with every upload',
      { buckets: ['a'] },
      [
        ['PutObjectAcl', 'a/k', { 's3:x-amz-acl': 'private' }, 'allow'],
        ['PutObjectAcl', 'a/k', { 's3:x-amz-acl': 'bucket-owner-full-control' }, 'allow'],
        ['PutObjectAcl', 'a/k', { 's3:x-amz-acl': 'public-read' }, 'none'],
        ['PutObjectAcl', 'a/k', { 's3:x-amz-grant-read': 'id=x' }, 'none'],
        ['PutObjectAcl', 'a/k', {}, 'none'],
        ['PutObjectVersionAcl', 'a/k', { 's3:x-amz-acl': 'private' }, 'none'],
        ['PutBucketAcl', 'a', { 's3:x-amz-acl': 'private' }, 'none'],
      ],
    ],
    [
      'ACLs of a reader',
      { buckets: ['a'], readOnly: true },
      [['PutObjectAcl', 'a/k', { 's3:x-amz-acl': 'private' }, 'none']],
    ],
    [
      'a prefix of odd characters, which stand for themselves',
      { buckets: ['a'], prefix: 'x*?${aws:username}/' },
      [
        ['GetObject', 'a/x*?${aws:username}/k', {}, 'allow'],
        ['GetObject', 'a/xyzalice/k', {}, 'none'],
        ['GetObject', 'a/xy?${aws:username}/k', {}, 'none'],
        ['ListBucket', 'a', { 's3:prefix': 'x*?${aws:username}/' }, 'allow'],
        ['ListBucket', 'a', { 's3:prefix': 'xy' }, 'none'],
      ],
    ],
  ])('short form: %s', (_, form, cells) => {
    const { user } = directory({ users: [{ name: 'u', ...form }] }).user(userArn('u')) ?? {};
    expect(
      cells.map(([action, path, keys]) => [action, path, keys, says(user?.permissions, action, path, keys)]),
    ).toEqual(cells);
  });

  it('policies come by name, written out, from a file, and from groups', () => {
    writeFileSync(
      join(folder, 'p.json'),
      JSON.stringify({
        Version: '2012-10-17',
        Statement: { Effect: 'Deny', Action: 's3:*', Resource: 'arn:aws:s3:::c/secret' },
      }),
    );
    const found = directory({
      policies: { named: { buckets: ['b'], readOnly: true }, filed: { file: 'p.json' } },
      groups: [{ name: 'g', buckets: ['c'], policies: ['filed'] }],
      users: [
        {
          name: 'u',
          buckets: ['a'],
          groups: ['g'],
          policies: [
            'named',
            {
              Version: '2012-10-17',
              Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::d/*' }],
            },
          ],
        },
      ],
    });
    const permissions = found.user(userArn('u'))?.user.permissions;
    const cells = [
      ['GetObject', 'a/k'],
      ['GetObject', 'b/k'],
      ['PutObject', 'b/k'],
      ['PutObject', 'c/k'],
      ['GetObject', 'c/secret'],
      ['GetObject', 'd/k'],
      ['GetObject', 'e/k'],
    ] as const;
    expect(cells.map(([action, path]) => says(permissions, action, path))).toEqual([
      'allow',
      'allow',
      'none',
      'allow',
      'deny',
      'allow',
      'none',
    ]);
    expect((permissions as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      'u/buckets',
      'named',
      'u/policies/1',
      'group g/buckets',
      'filed',
    ]);
    expect(found.policy(`arn:aws:iam::${NUMBER}:policy/named`)?.name).toBe('named');
  });

  it('trust in short names users, roles, accounts and tokens by what they are in policies', () => {
    const found = directory(
      {
        users: [{ name: 'alice' }],
        identityProviders: [{ issuer: 'https://issuer.example.com/', audiences: ['s3gw'] }],
        roles: [
          {
            name: 'r',
            trust: {
              users: ['alice', 'arn:aws:iam::999999999999:user/eve'],
              roles: ['q'],
              accounts: ['other'],
              externalId: 'xx',
              sessionTags: true,
            },
          },
          {
            name: 'q',
            trust: {
              webIdentity: [{ issuer: 'https://issuer.example.com/', subjects: ['system:serviceaccount:ns:*'] }],
            },
            maxSessionSeconds: 900,
          },
        ],
      },
      [{ name: 'other', accountNumber: '000000000001' }],
    );
    const entries = found.role(`arn:aws:iam::${NUMBER}:role/r`)?.trust.statements[0]?.principals?.entries;
    expect(entries).toEqual([
      { kind: 'arn', arn: userArn('alice') },
      { kind: 'arn', arn: 'arn:aws:iam::999999999999:user/eve' },
      { kind: 'arn', arn: `arn:aws:iam::${NUMBER}:role/q` },
      { kind: 'account', number: '000000000001' },
    ]);
    const q = found.role(`arn:aws:iam::${NUMBER}:role/q`);
    expect(q).toMatchObject({ maxSessionMs: 900_000, id: expect.stringMatching(/^AROA/) as string });
    expect(q?.trust.statements[0]?.principals?.entries).toEqual([
      { kind: 'federated', provider: `arn:aws:iam::${NUMBER}:oidc-provider/issuer.example.com` },
    ]);
    expect(q?.trust.statements[0]?.conditions.map(({ operator, key, values }) => [operator, key, values])).toEqual([
      ['StringLike', 'issuer.example.com:sub', ['system:serviceaccount:ns:*']],
    ]);
  });

  it.each<[string, object, RegExp]>([
    [
      'a policy that is not there',
      { users: [{ name: 'u', policies: ['p'] }] },
      /accounts\.0\.users\.0\.policies\.0: there is no policy p/,
    ],
    [
      'a group that is not there',
      { users: [{ name: 'u', groups: ['g'] }] },
      /accounts\.0\.users\.0\.groups\.0: there is no group g/,
    ],
    ['a group twice', { groups: [{ name: 'g' }, { name: 'g' }] }, /group g is there twice/],
    [
      'a user twice',
      { users: [{ name: 'u' }, { name: 'u' }] },
      /user arn:aws:iam::123456789012:user\/u is there twice/,
    ],
    [
      'policies beside `account`',
      { users: [{ name: 'u', policy: 'account', buckets: ['a'] }] },
      /account allows everything/,
    ],
    [
      'a broken document',
      { users: [{ name: 'u', policies: [{ Statement: [{ Effect: 'allow', Action: 's3:*', Resource: '*' }] }] }] },
      /accounts\.0\.users\.0\.policies\.0\.Statement\[0\]/,
    ],
    [
      'a trust policy without principal',
      { roles: [{ name: 'r', trust: { Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole' }] } }] },
      /accounts\.0\.roles\.0\.trust/,
    ],
    [
      'trust in a user that is not there',
      { roles: [{ name: 'r', trust: { users: ['x'] } }] },
      /roles\.0\.trust\.users: there is no user x/,
    ],
    ['trust in nobody', { roles: [{ name: 'r', trust: { externalId: 'xx' } }] }, /expected somebody/],
    [
      'tokens of an unknown issuer',
      { roles: [{ name: 'r', trust: { webIdentity: [{ issuer: 'https://x', subjects: ['*'] }] } }] },
      /there is no identity provider/,
    ],
    [
      'a file that is not there',
      { policies: { p: { file: 'gone.json' } } },
      /accounts\.0\.policies\.p\.file: cannot read gone\.json/,
    ],
    [
      'an ARN of another account',
      { users: [{ name: 'u', arn: 'arn:aws:iam::999999999999:user/u' }] },
      /not an ARN of account main/,
    ],
  ])('%s stops the start', (_, more, line) => {
    expect(complaints(more).join('\n')).toMatch(line);
  });
});
