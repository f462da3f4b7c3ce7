import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError, loadConfig } from '../../../config/load.ts';

const BACKENDS = { store: { kind: 'memory', owner: 'main' } };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  mkdirSync(join(folder, 'teams'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, value: object | string): void {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : stringify(value));
}

function load(settings: object): ReturnType<typeof loadConfig> {
  write('config.yaml', { backends: BACKENDS, ...settings });
  return loadConfig(join(folder, 'config.yaml'), {});
}

function complaints(settings: object): readonly string[] {
  try {
    load(settings);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

const key = (id: string): object => ({ accessKeyId: id, secretFile: 'secret' });

describe('accountsFrom', () => {
  it('a file of five lines is enough', () => {
    write(
      'accounts.yaml',
      'accounts:\n  - name: main\n    keys:\n      - accessKeyId: MAINKEY\n        secretFile: main\n',
    );
    const { config, accountPlaces } = load({ accountsFrom: 'accounts.yaml' });
    expect(config.accounts).toMatchObject([
      { name: 'main', keys: [{ accessKeyId: 'MAINKEY', secretFile: join(folder, 'main') }], users: [] },
    ]);
    expect(accountPlaces).toEqual([join(folder, 'accounts.yaml')]);
  });

  it('puts together what the files of a folder say of one account', () => {
    write('teams/a.yaml', {
      accounts: [{ name: 'main', users: [{ name: 'alice', buckets: ['a'] }], policies: { one: { buckets: ['x'] } } }],
    });
    write(
      'teams/b.json',
      JSON.stringify({
        accounts: [
          { name: 'main', users: [{ name: 'bob' }], policies: { two: { buckets: ['y'] } } },
          { name: 'other' },
        ],
      }),
    );
    write('teams/notes.txt', 'no accounts');
    write('teams/.hidden.yaml', 'no: accounts');
    const { config } = load({ accounts: [{ name: 'main', keys: [key('MAINKEY')] }], accountsFrom: ['teams'] });
    expect(config.accounts.map(({ name, users }) => [name, users.map((user) => user.name)])).toEqual([
      ['main', ['alice', 'bob']],
      ['other', []],
    ]);
    expect(Object.keys(config.accounts[0]?.policies ?? {})).toEqual(['one', 'two']);
    expect(config.accounts[0]?.keys[0]?.secretFile).toBe('secret');
  });

  it('takes a Kubernetes mount as it is: files are links through ..data', () => {
    const mount = join(folder, 'teams');
    const version = (name: string, accounts: object[]): void => {
      mkdirSync(join(mount, name));
      writeFileSync(join(mount, name, 'accounts.yaml'), stringify({ accounts }));
    };
    version('..2026_1', [{ name: 'main' }]);
    symlinkSync('..2026_1', join(mount, '..data'));
    symlinkSync('..data/accounts.yaml', join(mount, 'accounts.yaml'));
    expect(load({ accountsFrom: 'teams' }).config.accounts.map(({ name }) => name)).toEqual(['main']);
    version('..2026_2', [{ name: 'main' }, { name: 'new' }]);
    symlinkSync('..2026_2', join(mount, '..data_tmp'));
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
    expect(load({ accountsFrom: 'teams' }).config.accounts.map(({ name }) => name)).toEqual(['main', 'new']);
  });

  it.each<[string, object, RegExp]>([
    [
      'a wrong user',
      { accounts: [{ name: 'main', users: [{ name: 'a', buckets: ['Not A Bucket'] }] }] },
      /teams\/a\.yaml: accounts\.0\.users\.0\.buckets\.0: expected a bucket name/,
    ],
    [
      'an unknown setting',
      { accounts: [{ name: 'main', usrs: [] }] },
      /teams\/a\.yaml: accounts\.0\.usrs: there is no such setting/,
    ],
    ['no accounts', { users: [] }, /teams\/a\.yaml: /],
    [
      'another canonical id',
      { accounts: [{ name: 'main', canonicalId: 'b'.repeat(64) }] },
      /canonicalId of account main is there twice/,
    ],
    [
      'a policy twice',
      { accounts: [{ name: 'main', policies: { one: { buckets: ['z'] } } }] },
      /policy one of account main is there twice/,
    ],
  ])('names the file of %s', (_, content, line) => {
    write('teams/a.yaml', content);
    expect(
      complaints({
        accounts: [{ name: 'main', canonicalId: 'a'.repeat(64), policies: { one: { buckets: ['x'] } } }],
        accountsFrom: ['teams'],
      }).join('\n'),
    ).toMatch(line);
  });

  it('says what cannot be read, and that somebody must be there', () => {
    expect(complaints({ accounts: [{ name: 'main' }], accountsFrom: ['nowhere'] }).join()).toMatch(
      /accountsFrom: cannot read .*nowhere \(ENOENT\)/,
    );
    expect(complaints({ accountsFrom: ['teams'] }).join()).toMatch(/accounts: expected at least one account/);
  });
});

describe('identities', () => {
  const account = (more: object): object => ({ accounts: [{ name: 'main', ...more }] });

  it.each<[string, object, RegExp]>([
    [
      'a short form without buckets',
      { users: [{ name: 'a', readOnly: true }] },
      /users\.0\.readOnly: expected buckets as well/,
    ],
    ['a policy that is none', { users: [{ name: 'a', policies: [{ buckets: [] }] }] }, /expected the name of a policy/],
    ['a user that policies could not name', { users: [{ name: 'a*' }] }, /users\.0\.name: expected a name without/],
    ['a role without trust', { roles: [{ name: 'r' }] }, /roles\.0\.trust/],
    [
      'a session of days',
      { roles: [{ name: 'r', trust: { users: ['a'] }, maxSessionSeconds: 90_000 }] },
      /maxSessionSeconds/,
    ],
    ['an issuer that is no URL', { identityProviders: [{ issuer: 'accounts', audiences: ['a'] }] }, /issuer/],
  ])('%s is refused', (_, more, line) => {
    expect(complaints(account(more)).join('\n')).toMatch(line);
  });
});
