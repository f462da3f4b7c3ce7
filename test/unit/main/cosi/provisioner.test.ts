import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BucketAdmin } from '../../../../src/main/cosi/bucket-admin.ts';
import type { DriverGrantBucketAccessRequest } from '../../../../src/main/cosi/cosi-messages.ts';
import type { CosiCalls } from '../../../../src/main/cosi/cosi-server.ts';
import { Provisioner } from '../../../../src/main/cosi/provisioner.ts';
import {
  ACCOUNT,
  MANAGE_TOKEN,
  ManagedWorld,
  type ManagedProcess,
  READ_TOKEN,
} from '../../../support/managed/managed-world.ts';

const BUCKET = 'bucket-2f1c';
const NOWHERE = 'http://127.0.0.1:1';
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'cosi-'));
const tokenFile = join(folder, 'token');
afterAll(() => rmSync(folder, { recursive: true }));

let world: ManagedWorld;
/** The admin API itself, over memory. */
let gateway: ManagedProcess;
beforeEach(async () => {
  writeFileSync(tokenFile, `${MANAGE_TOKEN}\n`);
  world = new ManagedWorld();
  gateway = await world.start();
});
afterEach(() => world.close());

/** A driver that knows nothing of what others did, as after a restart. */
function driver({ account, url = gateway.url }: { readonly account?: string; readonly url?: string } = {}): CosiCalls {
  return new Provisioner(new BucketAdmin({ url, tokenFile }), {
    name: 's3.storage',
    endpoint: 'http://s3.storage.svc',
    region: 'eu-central-1',
    account,
    seed: 's'.repeat(32),
  }).calls();
}

const create = async (parameters: Readonly<Record<string, string>>, name = BUCKET, url?: string): Promise<unknown> =>
  driver({ ...(url !== undefined && { url }) }).DriverCreateBucket({ name, parameters }, signal);

/** What the API has at a path; undefined: nothing. */
async function found(path: string): Promise<unknown> {
  const { status, body } = await gateway.ask('GET', path);
  return status === 200 ? body : undefined;
}

describe('DriverCreateBucket', () => {
  test('makes the bucket that the class describes, under the name that pods will be told', async () => {
    expect(await create({ account: 'team', objectLock: 'true', backend: 'store' })).toEqual({
      bucketId: BUCKET,
      bucketInfo: { s3: { region: 'eu-central-1', signatureVersion: 'S3V4' } },
    });
    expect(await found(`/buckets/${BUCKET}`)).toMatchObject({ account: 'team', objectLock: true, backend: 'store' });
  });

  test("gives it to the driver's account when the class names none", async () => {
    await driver({ account: 'other' }).DriverCreateBucket({ name: BUCKET, parameters: {} }, signal);
    expect(await found(`/buckets/${BUCKET}`)).toMatchObject({ account: 'other', objectLock: false });
    await expect(create({}, BUCKET, NOWHERE)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('answers the same when it is repeated, and ALREADY_EXISTS to other parameters', async () => {
    const first = await create({ account: 'team' });
    const made = await found(`/buckets/${BUCKET}`);
    expect(await create({ account: 'team' })).toEqual(first);
    expect(await create({ account: 'team', objectLock: 'false' })).toEqual(first);
    await expect(create({ account: 'team', objectLock: 'true' })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await expect(create({ account: 'other' })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await found(`/buckets/${BUCKET}`)).toEqual(made);
  });

  test('limits it, and goes on where a call before it ended', async () => {
    const parameters = { account: 'team', quotaBytes: '1000', quotaObjects: '10' };
    await create({ account: 'team' });
    await create(parameters);
    await create(parameters);
    expect(await found(`/buckets/${BUCKET}/quota`)).toEqual({ bytes: 1000, objects: 10 });
    await expect(create({ ...parameters, quotaBytes: '2000' })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await found(`/buckets/${BUCKET}/quota`)).toEqual({ bytes: 1000, objects: 10 });
  });

  test.each([
    ['a parameter that is not known', { account: 'team', size: '1' }, BUCKET],
    ['no name', { account: 'team' }, ''],
    ['a name that leads elsewhere', { account: 'team' }, '..'],
  ])('asks nothing of the gateway for %s', async (_, parameters, name) => {
    await expect(create(parameters, name, NOWHERE)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test.each([
    ['an account that is not there', { account: 'nobody' }, 'FAILED_PRECONDITION', /no account nobody/],
    [
      'a backend that the name does not lead to',
      { account: 'team', backend: 'x' },
      'INVALID_ARGUMENT',
      /backend store/,
    ],
  ])('refuses %s, in words', async (_, parameters, code, words) => {
    const created = create(parameters);
    await expect(created).rejects.toMatchObject({ code });
    await expect(created).rejects.toThrow(words);
    expect(await found(`/buckets/${BUCKET}`)).toBeUndefined();
  });

  test('refuses a name that no bucket can have', async () => {
    await expect(create({ account: 'team' }, 'Bucket_1')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('DriverDeleteBucket', () => {
  const remove = async (bucketId = BUCKET, url = gateway.url): Promise<unknown> =>
    driver({ url }).DriverDeleteBucket({ bucketId }, signal);

  test('removes it with its quota, and one that is gone stays gone', async () => {
    await create({ account: 'team', quotaBytes: '1000' });
    expect(await remove()).toEqual({});
    expect(await found(`/buckets/${BUCKET}`)).toBeUndefined();
    expect(await found(`/buckets/${BUCKET}/quota`)).toBeUndefined();
    expect(await remove()).toEqual({});
  });

  test('takes a name that no bucket can have for one that is gone', async () => {
    expect(await remove('Bucket_1')).toEqual({});
  });

  test.each(['', '.', '..'])('asks nothing for the name "%s", which leads elsewhere', async (name) => {
    await expect(remove(name, NOWHERE)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

const GRANT: DriverGrantBucketAccessRequest = {
  bucketId: BUCKET,
  name: 'ba-9e01',
  authenticationType: 'Key',
  parameters: {},
};
const USER = '/accounts/team/users/cosi-ba-9e01';

describe('DriverGrantBucketAccess', () => {
  beforeEach(() => create({ account: 'team' }));

  test('makes a user of the account that owns the bucket, for this bucket only, and answers its key', async () => {
    const { accountId, credentials } = await driver().DriverGrantBucketAccess(GRANT, signal);
    expect(accountId).toBe('team/cosi-ba-9e01');
    const { endpoint, region, accessKeyID, accessSecretKey } = credentials.s3.secrets;
    expect([endpoint, region]).toEqual(['http://s3.storage.svc', 'eu-central-1']);
    expect(await found(USER)).toMatchObject({
      managed: true,
      settings: { buckets: [BUCKET] },
      keys: [{ accessKeyId: accessKeyID }],
    });
    expect(gateway.inForce.identities.accounts.byAccessKey(accessKeyID)).toMatchObject({
      secretAccessKey: accessSecretKey,
      user: { name: 'cosi-ba-9e01' },
    });
  });

  test('limits the user as the class says', async () => {
    await driver().DriverGrantBucketAccess({ ...GRANT, parameters: { readOnly: 'true', prefix: 'in/' } }, signal);
    expect(await found(USER)).toMatchObject({ settings: { buckets: [BUCKET], readOnly: true, prefix: 'in/' } });
  });

  test('answers the same key when it is repeated, whatever had been done before', async () => {
    const grant = async (): Promise<unknown> => driver().DriverGrantBucketAccess(GRANT, signal);
    const first = await driver().DriverGrantBucketAccess(GRANT, signal);
    expect(await grant()).toEqual(first);
    const { accessKeyID } = first.credentials.s3.secrets;
    expect(await gateway.ask('DELETE', `${USER}/keys/${accessKeyID}`)).toMatchObject({ status: 204 });
    expect(await grant()).toEqual(first);
    expect(await gateway.ask('DELETE', USER)).toMatchObject({ status: 204 });
    expect(await grant()).toEqual(first);
    expect(await found(USER)).toMatchObject({ keys: [{ accessKeyId: accessKeyID }] });
  });

  test('answers another key to another access', async () => {
    const first = await driver().DriverGrantBucketAccess(GRANT, signal);
    const second = await driver().DriverGrantBucketAccess({ ...GRANT, name: 'ba-9e02' }, signal);
    expect(second.credentials.s3.secrets.accessKeyID).not.toBe(first.credentials.s3.secrets.accessKeyID);
  });

  // ALREADY_EXISTS would end the sidecar.
  test('refuses other parameters for the same access, and changes nothing', async () => {
    await driver().DriverGrantBucketAccess({ ...GRANT, parameters: { readOnly: 'true' } }, signal);
    const before = await found(USER);
    const wider = driver().DriverGrantBucketAccess(GRANT, signal);
    await expect(wider).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(await found(USER)).toEqual(before);
  });

  test('hands out no key that is dead, as its user is not in force', async () => {
    await driver().DriverGrantBucketAccess(GRANT, signal);
    const { accountNumber } = gateway.inForce.identities.accounts.byName('team') ?? {};
    const carol = { ...ACCOUNT.users[0], arn: `arn:aws:iam::${accountNumber ?? ''}:user/cosi-ba-9e01` };
    gateway.changeFiles({ accounts: [{ ...ACCOUNT, users: [carol] }, { name: 'other' }] });
    const again = driver().DriverGrantBucketAccess(GRANT, signal);
    await expect(again).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    await expect(again).rejects.toThrow('is not in force');
  });

  test.each([
    ['service accounts', { authenticationType: 'IAM' }, 'UNIMPLEMENTED'],
    ['no authentication', { authenticationType: 'UnknownAuthenticationType' }, 'UNIMPLEMENTED'],
    ['a bucket that is not there', { bucketId: 'bucket-none' }, 'NOT_FOUND'],
    ['no bucket', { bucketId: '' }, 'INVALID_ARGUMENT'],
    ['no name', { name: '' }, 'INVALID_ARGUMENT'],
    ['a name with a path', { name: '../root' }, 'INVALID_ARGUMENT'],
    ['a parameter that is not known', { parameters: { readonly: 'true' } }, 'INVALID_ARGUMENT'],
  ] as const)('refuses %s', async (_, changed, code) => {
    await expect(driver().DriverGrantBucketAccess({ ...GRANT, ...changed }, signal)).rejects.toMatchObject({ code });
    expect(await found('/accounts/team/users')).toMatchObject({ users: [{ name: 'carol' }] });
  });
});

describe('DriverRevokeBucketAccess', () => {
  let key = '';
  beforeEach(async () => {
    await create({ account: 'team' });
    const { credentials } = await driver().DriverGrantBucketAccess(GRANT, signal);
    key = credentials.s3.secrets.accessKeyID;
  });
  const revoke = async (accountId = 'team/cosi-ba-9e01', bucketId = BUCKET): Promise<unknown> =>
    driver().DriverRevokeBucketAccess({ bucketId, accountId }, signal);

  test('removes the user with its key, and one that is gone stays gone', async () => {
    expect(await revoke()).toEqual({});
    expect(await found(USER)).toBeUndefined();
    expect(gateway.inForce.identities.accounts.byAccessKey(key)).toBeUndefined();
    expect(await revoke()).toEqual({});
  });

  test('works when its account is gone, for good', async () => {
    const files = { accounts: [{ name: 'other' }], backends: { store: { kind: 'memory', owner: 'other' } } };
    gateway.changeFiles(files);
    expect(await revoke()).toEqual({});
    gateway.changeFiles({});
    expect(await found(USER)).toBeUndefined();
    expect(gateway.inForce.identities.accounts.byAccessKey(key)).toBeUndefined();
  });

  test('works when the bucket is gone', async () => {
    expect(await gateway.ask('DELETE', `/buckets/${BUCKET}`)).toMatchObject({ status: 204 });
    expect(await revoke()).toEqual({});
    expect(await found(USER)).toBeUndefined();
  });

  test.each([
    ["a user who is not the driver's", 'team/backup', BUCKET, 'PERMISSION_DENIED'],
    ["a user of the operator's files", 'team/carol', 'own', 'PERMISSION_DENIED'],
    ['an access to another bucket', 'team/cosi-ba-9e01', 'bucket-other', 'PERMISSION_DENIED'],
    ['an id without an account', 'cosi-ba-9e01', BUCKET, 'PERMISSION_DENIED'],
    ['an account above', '../cosi-ba-9e01', BUCKET, 'INVALID_ARGUMENT'],
    ['a path', 'team/users/../cosi-ba-9e01/..', BUCKET, 'PERMISSION_DENIED'],
    ['no id', '', BUCKET, 'INVALID_ARGUMENT'],
  ])('refuses %s, and removes nothing', async (_, accountId, bucketId, code) => {
    await gateway.ask('PUT', '/accounts/team/users/backup', { buckets: [BUCKET] });
    const before = await found('/accounts/team/users');
    await expect(revoke(accountId, bucketId)).rejects.toMatchObject({ code });
    expect(await found('/accounts/team/users')).toEqual(before);
  });
});

describe('what the gateway answers', () => {
  /** An admin port that answers everything so. */
  async function answering(status: number, body: object): Promise<string> {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each([
    [401, undefined, 'UNAUTHENTICATED'],
    [403, undefined, 'PERMISSION_DENIED'],
    [404, undefined, 'UNIMPLEMENTED'],
    [409, 'BucketNotEmpty', 'FAILED_PRECONDITION'],
    [409, 'ConcurrentModification', 'ABORTED'],
    [409, 'LimitExceeded', 'RESOURCE_EXHAUSTED'],
    [422, 'InvalidInput', 'INVALID_ARGUMENT'],
    [429, undefined, 'RESOURCE_EXHAUSTED'],
    [500, undefined, 'UNAVAILABLE'],
    [503, 'OutcomeUnknown', 'UNAVAILABLE'],
    [418, undefined, 'INTERNAL'],
  ])('%i %s is told as %s', async (status, code, expected) => {
    const url = await answering(status, { error: 'its words', ...(code !== undefined && { code }) });
    const removed = async (): Promise<unknown> => driver({ url }).DriverDeleteBucket({ bucketId: BUCKET }, signal);
    await expect(removed()).rejects.toMatchObject({ code: expected });
    if (code !== undefined) await expect(removed()).rejects.toThrow('the gateway: its words');
  });

  test('nothing at all is UNAVAILABLE', async () => {
    const away = driver({ url: NOWHERE });
    await expect(away.DriverDeleteBucket({ bucketId: BUCKET }, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('a token that may not manage is told, and one that replaces it is used from then on', async () => {
    writeFileSync(tokenFile, READ_TOKEN);
    await expect(create({ account: 'team' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    writeFileSync(tokenFile, MANAGE_TOKEN);
    await create({ account: 'team' });
  });
});
