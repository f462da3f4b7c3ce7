import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  type ManagedProcess,
  ManagedWorld,
  OPERATORS_KEY,
  OPERATORS_SECRET,
} from '../../../support/managed/managed-world.ts';

/* What the operator's own files take away from under managed accounts. */

const USERS = '/accounts/team/users';
const KEY = 'ALICEALICEALICE0';
const OTHER_KEY = 'BOBSBOBSBOBSBOBS';
const pair = { secretAccessKey: 'a-secret-of-a-managed-user' };
const other = { name: 'other' };

let world: ManagedWorld;
let gateway: ManagedProcess;
beforeEach(async () => {
  world = new ManagedWorld();
  gateway = await world.start();
  await gateway.ask('PUT', `${USERS}/alice`, { groups: ['readers'] });
  await gateway.ask('PUT', `${USERS}/alice/keys/${KEY}`, pair);
  await gateway.ask('PUT', `${USERS}/bob`, { buckets: ['photos'] });
  await gateway.ask('PUT', `${USERS}/bob/keys/${OTHER_KEY}`, pair);
});
afterEach(() => world.close());

const works = (key: string, of = gateway): boolean => of.inForce.identities.accounts.byAccessKey(key) !== undefined;
const withoutGroups = { accounts: [{ ...ACCOUNT, groups: [] }, other] };

async function remove(path: string): Promise<number> {
  return (await gateway.ask('DELETE', path)).status;
}

describe('a user that names a group which the files no longer have', () => {
  beforeEach(() => gateway.changeFiles(withoutGroups));

  it('is dead, shown with the reason and logged, and all others are as before', async () => {
    expect([works(KEY), works(OTHER_KEY), works(OPERATORS_KEY)]).toEqual([false, true, true]);
    const fault = expect.stringContaining('there is no group readers') as unknown;
    const { body } = await gateway.ask('GET', USERS);
    const { users } = body as { users: object[] };
    expect(users).toMatchObject([{ name: 'carol' }, { name: 'alice', fault }, { name: 'bob' }]);
    expect(users[2]).not.toHaveProperty('fault');
    expect(gateway.running.followed.leftOut).toBe(1);
    const told = gateway.logged.filter(({ message }) => message === 'some managed accounts are not in force');
    expect(told.map(({ fields }) => JSON.stringify(fields['entries']))).toEqual([
      expect.stringContaining('user alice of account team'),
    ]);
  });

  it('keeps no revocation and no other change from being made', async () => {
    expect(await remove(`${USERS}/bob/keys/${OTHER_KEY}`)).toBe(204);
    expect(works(OTHER_KEY)).toBe(false);
    expect((await gateway.ask('POST', `${USERS}/bob/keys`)).status).toBe(201);
    expect((await gateway.ask('PUT', '/accounts/team/quota', { bytes: 1 })).status).toBe(200);
  });

  it('can be removed, and set right, but gets no key that would be dead', async () => {
    const refused = { status: 422, body: { code: 'InvalidInput' } };
    expect(await gateway.ask('POST', `${USERS}/alice/keys`)).toMatchObject(refused);
    expect(
      await gateway.ask('PUT', `${USERS}/alice`, { groups: ['readers'], readOnly: true, buckets: ['a'] }),
    ).toMatchObject(refused);
    expect(await gateway.ask('PUT', `${USERS}/alice`, { buckets: ['a'] })).toMatchObject({ status: 200 });
    expect(works(KEY)).toBe(true);
    expect(gateway.running.followed.leftOut).toBe(0);
    expect(await remove(`${USERS}/alice`)).toBe(204);
    expect(works(KEY)).toBe(false);
  });

  it('keeps no process from starting', async () => {
    const next = await world.start(withoutGroups);
    expect([works(KEY, next), works(OTHER_KEY, next)]).toEqual([false, true]);
  });
});

describe("entries of the operator's own files", () => {
  it('win over managed ones of the same name or id, which can be removed', async () => {
    await gateway.ask('PUT', '/accounts/team/policies/mine', { buckets: ['managed'] });
    await gateway.ask('PUT', `${USERS}/bob`, { policies: ['mine'] });
    const secret = 'the-secret-of-the-operators-own';
    const users = [
      ...ACCOUNT.users,
      { name: 'alice', buckets: ['own'], keys: [{ accessKeyId: OTHER_KEY, secretAccessKey: secret }] },
    ];
    gateway.changeFiles({ accounts: [{ ...ACCOUNT, users, policies: { mine: { buckets: ['own'] } } }, other] });
    const { accounts } = gateway.inForce.identities;
    expect(accounts.byAccessKey(OTHER_KEY)).toMatchObject({ secretAccessKey: secret, user: { name: 'alice' } });
    expect(works(KEY)).toBe(false);
    expect(gateway.running.followed.leftOut).toBe(3);
    expect(await gateway.ask('GET', '/accounts/team/policies')).toMatchObject({
      body: {
        policies: [
          { name: 'mine', managed: false },
          { name: 'mine', managed: true, fault: expect.any(String) as unknown },
        ],
      },
    });
    const paths = [
      `${USERS}/alice/keys/${KEY}`,
      `${USERS}/alice`,
      `${USERS}/bob/keys/${OTHER_KEY}`,
      '/accounts/team/policies/mine',
    ];
    for (const path of paths) expect(await remove(path), path).toBe(204);
    for (const path of [`${USERS}/alice`, '/accounts/team/policies/mine']) expect(await remove(path), path).toBe(409);
    expect(accounts.byAccessKey(OTHER_KEY)).toMatchObject({ secretAccessKey: secret });
    expect(gateway.running.followed.leftOut).toBe(0);
  });
});

describe('a file of the operator’s that cannot be read', () => {
  it('keeps no change of the document from being made, here and in other processes', async () => {
    const secret = join(world.folder, 'secret');
    writeFileSync(secret, OPERATORS_SECRET, { mode: 0o600 });
    const key = { accessKeyId: OPERATORS_KEY, secretFile: 'secret' };
    gateway.changeFiles({ accounts: [{ ...ACCOUNT, users: [{ name: 'carol', keys: [key] }] }, other] });
    const second = await world.start({ accounts: [{ ...ACCOUNT, users: [{ name: 'carol', keys: [key] }] }, other] });
    writeFileSync(secret, '');
    const away = { accounts: [{ ...ACCOUNT, users: [{ name: 'carol', keys: [{ ...key, secretFile: 'away' }] }] }] };
    expect(() => gateway.changeFiles(away)).toThrow(/away/);
    expect(await remove(`${USERS}/alice`)).toBe(204);
    await second.running.followed.look();
    expect([works(KEY), works(KEY, second)]).toEqual([false, false]);
    expect((await gateway.ask('POST', `${USERS}/bob/keys`)).status).toBe(201);
    const { accounts } = gateway.inForce.identities;
    expect(accounts.byAccessKey(OPERATORS_KEY)?.secretAccessKey).toBe(OPERATORS_SECRET);
  });
});

describe('an account that the files no longer have', () => {
  beforeEach(async () => {
    await gateway.ask('PUT', '/accounts/team/quota', { bytes: 1 });
    await gateway.ask('PUT', '/accounts/team/policies/mine', { buckets: ['managed'] });
    gateway.changeFiles({ accounts: [other], backends: { store: { kind: 'memory', owner: 'other' } } });
  });

  it('is shown with its users, none of which is in force', async () => {
    expect(works(KEY)).toBe(false);
    const fault = expect.stringContaining('there is no account team') as unknown;
    expect(await gateway.ask('GET', '/accounts')).toMatchObject({
      body: { accounts: [{ name: 'other' }, { name: 'team', users: 2, fault }] },
    });
    expect(await gateway.ask('GET', `${USERS}/alice`)).toMatchObject({ status: 200, body: { name: 'alice', fault } });
    expect(await gateway.ask('PUT', `${USERS}/eve`, {})).toMatchObject({ status: 404 });
    expect(await gateway.ask('POST', `${USERS}/bob/keys`)).toMatchObject({ status: 404 });
  });

  it('loses what is removed for good: it does not come back with the account', async () => {
    const paths = [
      `${USERS}/bob/keys/${OTHER_KEY}`,
      `${USERS}/alice`,
      '/accounts/team/policies/mine',
      '/accounts/team/quota',
    ];
    for (const path of paths) expect(await remove(path), path).toBe(204);
    gateway.changeFiles({});
    expect([works(KEY), works(OTHER_KEY)]).toEqual([false, false]);
    expect(await gateway.ask('GET', USERS)).toMatchObject({
      body: { users: [{ name: 'carol' }, { name: 'bob', keys: [] }] },
    });
    expect(await remove(`${USERS}/alice`)).toBe(404);
  });
});
