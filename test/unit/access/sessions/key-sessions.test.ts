import { describe, expect, it } from 'vitest';
import { createAccountDirectory, replaceableDirectory } from '../../../../src/access/directory.ts';
import { encodeClaims } from '../../../../src/access/sessions/claims.ts';
import { SealingKeys } from '../../../../src/access/sessions/sealing-keys.ts';
import { Sessions } from '../../../../src/access/sessions/sessions.ts';

const NUMBER = '111122223333';
const arn = `arn:aws:iam::${NUMBER}:user/u`;
const account = { name: 'a', canonicalId: 'c', displayName: 'a', email: 'a@b', accountNumber: NUMBER };
/** The account has a key of its own; its user has one with this secret. */
const directory = (secretAccessKey: string) =>
  createAccountDirectory([
    {
      ...account,
      keys: [{ accessKeyId: 'ROOT', secretAccessKey }],
      users: [{ name: 'u', arn, id: 'U', tags: {}, permissions: [], keys: [{ accessKeyId: 'K', secretAccessKey }] }],
    },
  ]);
const keys = new SealingKeys(['a-secret-of-thirty-two-characters-or-more']);
const claims = { issuedAt: 1, expiresAt: 9e9 };
const HOLDERS = [
  ['a user', { kind: 'key', accessKeyId: 'K', holder: arn }],
  ['an account', { kind: 'key', accessKeyId: 'ROOT', holder: 'c' }],
] as const;

describe.each(HOLDERS)('a session of GetSessionToken, of %s', (_, identity) => {
  it('ends when the secret of its key is changed, and comes back with it', () => {
    const accounts = replaceableDirectory(directory('leaked'));
    const sessions = new Sessions({ accounts, keys: () => keys });
    const { accessKeyId, sessionToken } = sessions.issue({ ...claims, identity });
    const account = () => sessions.credentialFor(accessKeyId, sessionToken)?.account.name;
    expect(account()).toBe('a');
    accounts.replace(directory('another'));
    expect(account).toThrow(expect.objectContaining({ code: 'InvalidToken' }));
    accounts.replace(directory('leaked'));
    expect(account()).toBe('a');
  });

  it('is not that of a token with the hash of another secret', () => {
    const sessions = new Sessions({ accounts: directory('secret'), keys: () => keys });
    const sealed = keys.seal(encodeClaims({ ...claims, identity: { ...identity, secretHash: '' } }));
    expect(() => sessions.credentialFor(sealed.accessKeyId, sealed.sessionToken)).toThrow();
  });

  it('is not made of a key that is gone', () => {
    const sessions = new Sessions({ accounts: createAccountDirectory([]), keys: () => keys });
    expect(() => sessions.issue({ ...claims, identity })).toThrow();
  });
});
