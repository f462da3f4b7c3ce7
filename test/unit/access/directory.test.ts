import { describe, expect, test } from 'vitest';
import { authorize } from '../../../src/access/authorize.ts';
import { type AccountSettings, createAccountDirectory, replaceableDirectory } from '../../../src/access/directory.ts';
import type { Account, Principal } from '../../../src/access/accounts.ts';
import { S3Error } from '../../../src/errors/s3-error.ts';

function account(name: string, more: Partial<AccountSettings> = {}): AccountSettings {
  return {
    name,
    canonicalId: `${name}-id`,
    displayName: name,
    email: `${name}@example.com`,
    accountNumber: `${name}-number`,
    keys: [{ accessKeyId: `${name}-key`, secretAccessKey: 'secret' }],
    users: [],
    ...more,
  };
}

const ALICE = {
  name: 'alice',
  arn: 'arn:aws:iam::main-number:user/alice',
  keys: [{ accessKeyId: 'alice-key', secretAccessKey: 'other' }],
};

describe('account directory', () => {
  const directory = createAccountDirectory([
    account('main', { users: [ALICE] }),
    account('alt', { email: 'MAIN@example.com' }),
  ]);

  test('finds accounts and users by key', () => {
    expect(directory.byAccessKey('main-key')).toMatchObject({ secretAccessKey: 'secret', account: { name: 'main' } });
    expect(directory.byAccessKey('alice-key')).toMatchObject({ account: { name: 'main' }, user: { arn: ALICE.arn } });
    expect(directory.byAccessKey('main-key')).not.toHaveProperty('user');
    expect(directory.byAccessKey('__proto__')).toBeUndefined();
  });

  test('finds accounts by id, name and e-mail, which may be ambiguous', () => {
    expect(directory.byCanonicalId('alt-id')?.name).toBe('alt');
    expect(directory.byName('alt')?.canonicalId).toBe('alt-id');
    expect(directory.byEmail('Main@Example.com').map(({ name }) => name)).toEqual(['main', 'alt']);
    expect(directory.byEmail('nobody@example.com')).toEqual([]);
  });

  test('accounts carry no secrets', () => {
    expect(JSON.stringify(directory.byName('main'))).not.toContain('secret');
  });

  test.each<[string, AccountSettings[]]>([
    ['account name main', [account('main'), account('main', { canonicalId: 'x', accountNumber: 'y' })]],
    ['canonical id main-id', [account('main'), account('alt', { canonicalId: 'main-id' })]],
    ['account number main-number', [account('main'), account('alt', { accountNumber: 'main-number' })]],
    [
      'access key main-key',
      [account('main'), account('alt', { keys: [{ accessKeyId: 'main-key', secretAccessKey: 'z' }] })],
    ],
  ])('%s is there twice', (what, accounts) => {
    expect(() => createAccountDirectory(accounts)).toThrow(`${what} is there twice`);
  });

  test('an ARN that names another account is refused: policies would take its user for somebody there', () => {
    expect(() =>
      createAccountDirectory([
        account('main', { users: [{ ...ALICE, arn: 'arn:aws:iam::alt-number:user/alice' }] }),
        account('alt'),
      ]),
    ).toThrow('is not an ARN of account main');
  });

  test('can be replaced under those who use it', () => {
    const used = replaceableDirectory(directory);
    used.replace(createAccountDirectory([account('new')]));
    expect([used.byAccessKey('main-key'), used.byName('new')?.name]).toEqual([undefined, 'new']);
  });
});

describe('authorize', () => {
  const owner: Account = account('main');
  const asAccount: Principal = { kind: 'account', account: owner, accessKeyId: 'k' };
  const asUser: Principal = { ...asAccount, user: { ...ALICE, permissions: 'account' } };
  const stranger: Principal = { kind: 'account', account: account('alt'), accessKeyId: 'k' };
  const anonymous: Principal = { kind: 'anonymous' };
  const bucket = { bucket: { name: 'b', ownerId: 'main-id', settings: {} } };

  test('the owner and its users may do everything', () => {
    expect(() => {
      authorize(asAccount, 's3:DeleteBucket', bucket);
      authorize(asUser, 's3:PutObject', bucket);
    }).not.toThrow();
  });

  test.each([
    ['another account', stranger],
    ['an anonymous caller', anonymous],
  ])('%s may do nothing', (_name, principal) => {
    expect(() => authorize(principal, 's3:GetObject', bucket)).toThrow(new S3Error('AccessDenied'));
  });

  test('without a bucket every account may, nobody else', () => {
    expect(() => authorize(stranger, 's3:CreateBucket')).not.toThrow();
    expect(() => authorize(anonymous, 's3:ListAllMyBuckets')).toThrow(S3Error);
  });
});
