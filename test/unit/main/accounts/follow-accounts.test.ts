import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../../config/load.ts';
import { EMPTY_DOCUMENT } from '../../../../config/managed-document.ts';
import { AccountsInForce } from '../../../../src/main/accounts/accounts-in-force.ts';
import { followAccounts } from '../../../../src/main/accounts/follow-accounts.ts';
import type { ReplaceableIdentities } from '../../../../src/main/accounts/identities.ts';

const SOON = { timeout: 30_000, interval: 50 };
let folder: string;
let stop: () => void = () => undefined;
let logged: { level: string; fields: object }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'follow-'));
  logged = [];
});

afterEach(() => {
  stop();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function start(): ReplaceableIdentities {
  const loaded = loadConfig(join(folder, 'gateway.yaml'), {});
  const inForce = new AccountsInForce({ loaded, document: EMPTY_DOCUMENT }, { folder, environment: {} });
  const record =
    (level: string) =>
    (fields: object): void =>
      void logged.push({ level, fields });
  stop = followAccounts({
    inForce,
    environment: {},
    log: { info: record('info'), warn: record('warn'), error: record('error') },
  });
  return inForce.identities;
}

const CONFIG =
  'accountsFrom: [teams]\nsts: { keysFile: sealing }\nbackends: { store: { kind: memory, owner: main } }\n';
const user = (key: string): string =>
  `accounts:\n  - name: main\n    users:\n      - name: alice\n        buckets: [a]\n        keys: [{ accessKeyId: ${key}, secretFile: secret }]\n`;

describe('accounts are followed', () => {
  it('through the swaps of a mounted Secret, with the secrets in it', async () => {
    const mount = join(folder, 'teams');
    mkdirSync(mount);
    const version = (name: string, key: string, secret: string): void => {
      mkdirSync(join(mount, name));
      writeFileSync(join(mount, name, 'accounts.yaml'), user(key));
      writeFileSync(join(mount, name, 'secret'), secret);
      symlinkSync(name, join(mount, '..data_tmp'));
      renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
    };
    version('..1', 'OLDKEY', 'old-secret');
    for (const file of ['accounts.yaml', 'secret']) symlinkSync(`..data/${file}`, join(mount, file));
    write('sealing', `${'a'.repeat(32)}\n`);
    write('gateway.yaml', CONFIG);
    const identities = start();
    expect(identities.accounts.byAccessKey('OLDKEY')?.secretAccessKey).toBe('old-secret');
    version('..2', 'NEWKEY', 'new-secret');
    rmSync(join(mount, '..1'), { recursive: true });
    await vi.waitFor(() => expect(identities.accounts.byAccessKey('NEWKEY')?.secretAccessKey).toBe('new-secret'), SOON);
    expect(identities.accounts.byAccessKey('OLDKEY')).toBeUndefined();
    // Again, since what is watched was set up anew.
    version('..3', 'THIRDKEY', 'third-secret');
    await vi.waitFor(
      () => expect(identities.accounts.byAccessKey('THIRDKEY')?.secretAccessKey).toBe('third-secret'),
      SOON,
    );
  });

  it('in a folder: new files, secrets that are written anew, sealing keys; a mistake changes nothing and is told', async () => {
    mkdirSync(join(folder, 'teams'));
    write('teams/a.yaml', user('ONEKEY'));
    write('teams/secret', 'first-secret');
    write('sealing', `${'a'.repeat(32)}\n`);
    write('gateway.yaml', CONFIG);
    const identities = start();
    const sealed = identities.sealing()?.seal(Buffer.from('x'));
    write('teams/secret', 'second-secret');
    await vi.waitFor(
      () => expect(identities.accounts.byAccessKey('ONEKEY')?.secretAccessKey).toBe('second-secret'),
      SOON,
    );
    write('teams/b.yaml', user('TWOKEY').replace('alice', 'bob'));
    await vi.waitFor(() => expect(identities.accounts.byAccessKey('TWOKEY')?.user?.name).toBe('bob'), SOON);
    write('sealing', `${'b'.repeat(32)}\n${'a'.repeat(32)}\n`);
    await vi.waitFor(
      () =>
        expect(identities.sealing()?.seal(Buffer.from('x')).sessionToken.slice(0, 12)).not.toBe(
          sealed?.sessionToken.slice(0, 12),
        ),
      SOON,
    );
    expect(identities.sealing()?.open(sealed?.sessionToken ?? '')).toBeDefined();
    logged = [];
    write('teams/b.yaml', user('TWOKEY').replace('buckets', 'bukkets'));
    await vi.waitFor(
      () =>
        expect(
          logged.some(({ level, fields }) => level === 'error' && JSON.stringify(fields).includes('bukkets')),
        ).toBe(true),
      SOON,
    );
    expect(identities.accounts.byAccessKey('TWOKEY')?.user?.name).toBe('bob');
    rmSync(join(folder, 'teams/b.yaml'));
    await vi.waitFor(() => expect(identities.accounts.byAccessKey('TWOKEY')).toBeUndefined(), SOON);
    expect(identities.accounts.byAccessKey('ONEKEY')).toBeDefined();
  });
});
