import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EMPTY_DOCUMENT } from '../../../../config/managed-document.ts';
import { ConfigError, loadConfig } from '../../../../config/load.ts';
import type { ManagedDocument } from '../../../../config/schema-managed.ts';
import { AccountsInForce } from '../../../../src/main/accounts/accounts-in-force.ts';
import type { DocumentPlace } from '../../../../src/main/managed/document-place.ts';
import { FollowedDocument } from '../../../../src/main/managed/followed-document.ts';
import { ManagedAccounts } from '../../../../src/main/managed/managed-accounts.ts';
import { withAccount } from '../../../../src/main/managed/shown-accounts.ts';
import { ManagedWorld } from '../../../support/managed/managed-world.ts';
import { secretServer } from '../../../support/managed/secret-server.ts';
import { testCall } from '../../../support/test-call.ts';

const KEY = {
  accessKeyId: 'ALICEALICEALICE0',
  secretAccessKey: 'a-secret-of-alice',
  createdAt: '2026-01-01T00:00:00Z',
};
const secret = secretServer();
let world: ManagedWorld;
let logged: string[];

beforeEach(() => {
  world = new ManagedWorld();
  logged = [];
});
afterEach(() => world.close());

interface Replica {
  readonly inForce: AccountsInForce;
  readonly followed: FollowedDocument;
  readonly managed: ManagedAccounts;
}

async function replica(place: DocumentPlace = secret.place): Promise<Replica> {
  const file = join(world.folder, 'plain.yaml');
  writeFileSync(file, 'accounts: [{ name: team }]\nbackends: { store: { kind: memory, owner: team } }\n');
  const inForce = new AccountsInForce(
    { loaded: loadConfig(file, {}), document: EMPTY_DOCUMENT },
    { folder: world.folder, environment: {} },
  );
  const keep = (_fields: object, message: string): void => void logged.push(message);
  const log = { info: keep, warn: keep, error: keep };
  const followed = new FollowedDocument({ place, inForce, version: await place.version(testCall().signal), log });
  return { inForce, followed, managed: new ManagedAccounts({ place, inForce, followed }) };
}

/** The document with a user of account `team`. */
function withUser(document: ManagedDocument, name: string, keys: (typeof KEY)[] = []): ManagedDocument {
  const team = document.accounts.find((account) => account.name === 'team') ?? {
    name: 'team',
    users: [],
    policies: [],
  };
  const user = { name, settings: { policies: [], groups: [] }, keys };
  return withAccount(document, { ...team, users: [...team.users, user] });
}

const addUser = ({ managed }: Replica, name: string, keys: (typeof KEY)[] = []): Promise<string> =>
  managed.change(testCall(), ({ document }) => ({ document: withUser(document, name, keys), answer: name }));

const has = ({ inForce }: Replica): boolean => inForce.identities.accounts.byAccessKey(KEY.accessKeyId) !== undefined;

describe('a change', () => {
  it('is in force where it was made when it is answered, and elsewhere after the next look', async () => {
    const [one, other] = [await replica(), await replica()];
    await addUser(one, 'alice', [KEY]);
    expect([has(one), has(other)]).toEqual([true, false]);
    await other.followed.look();
    expect(has(other)).toBe(true);
    await one.managed.change(testCall(), ({ document }) => ({ document: { ...document, accounts: [] }, answer: '' }));
    expect([has(one), has(other)]).toEqual([false, true]);
    await other.followed.look();
    expect(has(other)).toBe(false);
  });

  it('of many callers in two processes is lost for none', async () => {
    const replicas = [await replica(), await replica()];
    const names = Array.from({ length: 16 }, (_, index) => `user-${String(index)}`);
    await Promise.all(names.map((name, index) => addUser(replicas[index % 2] ?? (replicas[0] as Replica), name)));
    const { document } = await (replicas[0] as Replica).managed.view();
    expect(document.accounts[0]?.users.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it('whose answer is lost is answered as made when it was, and as unknown when it was not', async () => {
    const one = await replica();
    secret.server.fate = 'answer lost';
    expect(await addUser(one, 'alice', [KEY])).toBe('alice');
    expect(has(one)).toBe(true);
    secret.server.fate = 'lost';
    await expect(addUser(one, 'bob')).rejects.toMatchObject({ code: 'OutcomeUnknown', status: 503 });
  });

  it('that would not load, or is too large, is refused and changes nothing', async () => {
    const one = await replica();
    const before = secret.server.data;
    await addUser(one, 'alice', [KEY]);
    await expect(addUser(one, 'bob', [KEY])).rejects.toMatchObject({ code: 'InvalidInput' });
    const tags = Object.fromEntries(Array.from({ length: 4500 }, (_, index) => [`t${String(index)}`, 'x'.repeat(250)]));
    const large = one.managed.change(testCall(), ({ document }) => ({
      document: withAccount(document, {
        name: 'team',
        policies: [],
        users: [{ name: 'large', settings: { policies: [], groups: [], tags }, keys: [] }],
      }),
      answer: '',
    }));
    await expect(large).rejects.toMatchObject({ code: 'LimitExceeded' });
    expect(before).toBeUndefined();
    expect(has(one)).toBe(true);
  });

  it('is in force where it was made whatever the place answers afterwards', async () => {
    const one = await replica();
    await addUser(one, 'alice', [KEY]);
    const { place } = secret;
    const replace = place.replace.bind(place);
    vi.spyOn(place, 'replace').mockImplementation(async (...args) => {
      const version = await replace(...args);
      secret.server.status = 503;
      return version;
    });
    await one.managed.change(testCall(), ({ document }) => ({ document: { ...document, accounts: [] }, answer: '' }));
    expect(has(one)).toBe(false);
  });

  it('is never undone by a look that had read the document before it', async () => {
    const [one, other] = [await replica(), await replica()];
    await addUser(other, 'bob');
    const { place } = secret;
    const read = place.read.bind(place);
    vi.spyOn(place, 'read').mockImplementationOnce(async (signal) => {
      const before = await read(signal);
      // Made while what was read is on its way.
      const { version } = before;
      const document = withUser(one.inForce.document, 'alice', [KEY]);
      const made = await place.replace(JSON.stringify({ ...document, change: 'made' }), version, signal);
      one.followed.take(document, { from: one.followed.version, version: made ?? '' });
      return before;
    });
    await one.followed.look();
    expect(has(one)).toBe(true);
  });
});

describe('a reading', () => {
  it('asks for the version alone, once for all that ask meanwhile', async () => {
    const one = await replica();
    await addUser(one, 'alice', [KEY]);
    secret.server.asked.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => one.managed.view()));
    expect(secret.server.asked).toEqual(['GET metadata', 'GET metadata']);
  });

  it('sees what other processes have acknowledged before', async () => {
    const [one, other] = [await replica(), await replica()];
    await addUser(other, 'alice', [KEY]);
    expect((await one.managed.view()).document.accounts[0]?.users.map(({ name }) => name)).toEqual(['alice']);
    expect(has(one)).toBe(true);
  });
});

describe('following', () => {
  it('leaves the last document in force while the place does not answer, tells it once, and goes on', async () => {
    const one = await replica();
    await addUser(one, 'alice', [KEY]);
    secret.server.status = 503;
    await sleep(20);
    for (let looks = 0; looks < 3; looks += 1) await expect(one.followed.look()).rejects.toThrow('503');
    expect(has(one)).toBe(true);
    expect(one.followed.age).toBeGreaterThanOrEqual(20);
    secret.server.status = undefined;
    await one.followed.look();
    expect(one.followed.age).toBeLessThan(20_000);
    const told = logged.filter((message) => message !== 'managed accounts reloaded');
    expect(told).toEqual(['managed accounts stay as they were', 'managed accounts are followed again']);
  });

  it.each(['no JSON', '{"format":2}', '{"format":1,"change":"","accounts":[{"name":"team"}],"buckets":[]}'])(
    'takes nothing of a document that it does not understand: %s',
    async (text) => {
      const one = await replica();
      await addUser(one, 'alice', [KEY]);
      const { version } = await secret.place.read(testCall().signal);
      await secret.place.replace(text, version, testCall().signal);
      await expect(one.followed.look()).rejects.toBeInstanceOf(ConfigError);
      expect(has(one)).toBe(true);
      await expect(addUser(one, 'bob')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    },
  );

  it('goes on by itself until it is told to stop', async () => {
    const [one, other] = [await replica(), await replica()];
    const stop = new AbortController();
    const ended = other.followed.follow(10, stop.signal);
    await addUser(one, 'alice', [KEY]);
    await vi.waitFor(() => expect(has(other)).toBe(true), { timeout: 30_000 });
    stop.abort();
    await ended;
  });
});

describe('the start of a process', () => {
  it('takes the document of before', async () => {
    const one = await world.start();
    await one.ask('PUT', '/accounts/team/users/alice', { buckets: ['a'] });
    await one.ask('PUT', '/accounts/team/users/alice/keys/ALICEALICEALICE0', { secretAccessKey: KEY.secretAccessKey });
    const { inForce } = await world.start();
    expect(inForce.identities.accounts.byAccessKey(KEY.accessKeyId)?.user?.name).toBe('alice');
  });
});
