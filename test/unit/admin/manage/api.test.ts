import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedKey } from '../../../../src/admin/manage/contract.ts';
import { ENDPOINTS } from '../../../../src/admin/manage/endpoints.ts';
import {
  MANAGE_TOKEN,
  type ManagedProcess,
  ManagedWorld,
  OPERATORS_KEY,
  OPERATORS_SECRET,
  READ_TOKEN,
} from '../../../support/managed/managed-world.ts';

const world = new ManagedWorld();
const SECRET = 'a-secret-that-the-caller-brings';
let gateway: ManagedProcess;

beforeAll(async () => {
  gateway = await world.start();
});
afterAll(() => world.close());

const USER = '/accounts/team/users/alice';

describe('users and keys', () => {
  it('are made, shown and removed, and say so each time', async () => {
    const settings = { buckets: ['photos'], prefix: 'a/', groups: ['readers'] };
    const made = await gateway.ask('PUT', USER, settings);
    expect(made).toMatchObject({ status: 201, body: { name: 'alice', managed: true, settings, keys: [] } });
    expect(await gateway.ask('PUT', USER, settings)).toEqual({ ...made, status: 200 });
    const created = await gateway.ask('POST', `${USER}/keys`);
    const { accessKeyId, secretAccessKey } = created.body as CreatedKey;
    expect(created.status).toBe(201);
    expect(accessKeyId).toMatch(/^S3GW[A-Z2-7]{16}$/);
    const { accounts } = gateway.inForce.identities;
    expect(accounts.byAccessKey(accessKeyId)).toMatchObject({ secretAccessKey, user: { name: 'alice' } });

    expect(await gateway.ask('PUT', USER, { readOnly: true, buckets: ['photos'] })).toMatchObject({
      status: 200,
      body: { keys: [{ accessKeyId }], settings: { readOnly: true } },
    });
    expect(await gateway.ask('DELETE', `${USER}/keys/${accessKeyId}`)).toEqual({ status: 204, body: undefined });
    expect(accounts.byAccessKey(accessKeyId)).toBeUndefined();
    expect(await gateway.ask('DELETE', `${USER}/keys/${accessKeyId}`)).toMatchObject({
      status: 404,
      body: { code: 'NoSuchEntity' },
    });
    expect(await gateway.ask('DELETE', USER)).toMatchObject({ status: 204 });
    expect(await gateway.ask('DELETE', USER)).toMatchObject({ status: 404 });
  });

  it('may be a pair that the caller brings, as often as it likes, but never another one of its id', async () => {
    await gateway.ask('PUT', '/accounts/team/users/bob', { policy: 'account' });
    const key = '/accounts/team/users/bob/keys/BROUGHTBROUGHT00';
    expect(await gateway.ask('PUT', key, { secretAccessKey: SECRET })).toMatchObject({ status: 201 });
    expect(await gateway.ask('PUT', key, { secretAccessKey: SECRET })).toMatchObject({ status: 200 });
    const other = { status: 409, body: { code: 'EntityAlreadyExists' } };
    expect(await gateway.ask('PUT', key, { secretAccessKey: `${SECRET}!` })).toMatchObject(other);
    await gateway.ask('PUT', '/accounts/other/users/bob', {});
    for (const id of ['BROUGHTBROUGHT00', OPERATORS_KEY]) {
      const taken = await gateway.ask('PUT', `/accounts/other/users/bob/keys/${id}`, { secretAccessKey: SECRET });
      expect(taken, id).toMatchObject(other);
    }
    expect(JSON.stringify(await gateway.ask('GET', '/accounts/team/users'))).not.toContain(SECRET);
  });

  it.each<[string, string, unknown, number, string]>([
    ['a setting that is none', USER, { bucket: ['photos'] }, 400, 'ValidationError'],
    ['a prefix without buckets', USER, { prefix: 'a/' }, 400, 'ValidationError'],
    ['a file of the machine', USER, { policies: [{ file: '/etc/passwd' }] }, 400, 'ValidationError'],
    ['a file beside a document', USER, { policies: [{ Statement: [], file: '/etc/passwd' }] }, 400, 'ValidationError'],
    ['a secret in the settings', USER, { keys: [] }, 400, 'ValidationError'],
    ['no settings at all', USER, undefined, 400, 'ValidationError'],
    ['a list', USER, [], 400, 'ValidationError'],
    ['a name of the wrong form', '/accounts/team/users/a%20b', {}, 400, 'ValidationError'],
    ['a group that is not there', USER, { groups: ['none'] }, 422, 'InvalidInput'],
    ['a policy that is not there', USER, { policies: ['none'] }, 422, 'InvalidInput'],
    ['a policy with a fault', USER, { policies: [{ Statement: [{ Effect: 'Perhaps' }] }] }, 422, 'InvalidInput'],
    ['an account that is not there', '/accounts/none/users/alice', {}, 404, 'NoSuchEntity'],
    ["a user of the operator's own files", '/accounts/team/users/carol', {}, 409, 'UnmodifiableEntity'],
    ['a name of an object', '/accounts/team/policies/__proto__', { buckets: ['a'] }, 201, ''],
  ])('%s: %s', async (_, path, body, status, code) => {
    const before = await gateway.ask('GET', '/accounts/team/users');
    const answer = await gateway.ask('PUT', path, body);
    expect(answer).toMatchObject({ status, ...(code !== '' && { body: { code } }) });
    expect(await gateway.ask('GET', '/accounts/team/users')).toEqual(before);
  });
});

describe('policies', () => {
  it('stay as long as a user has them', async () => {
    const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] };
    expect(await gateway.ask('PUT', '/accounts/team/policies/all', policy)).toMatchObject({
      status: 201,
      body: { policy },
    });
    expect(await gateway.ask('PUT', '/accounts/team/policies/all', policy)).toMatchObject({ status: 200 });
    await gateway.ask('PUT', '/accounts/team/users/dave', { policies: ['all'] });
    const conflict = { status: 409, body: { code: 'DeleteConflict' } };
    expect(await gateway.ask('DELETE', '/accounts/team/policies/all')).toMatchObject(conflict);
    await gateway.ask('PUT', '/accounts/team/users/dave', {});
    expect(await gateway.ask('DELETE', '/accounts/team/policies/all')).toMatchObject({ status: 204 });
    expect(await gateway.ask('GET', '/accounts/team/policies/all')).toMatchObject({ status: 404 });
    expect(await gateway.ask('PUT', '/accounts/team/policies/everything', policy)).toMatchObject({
      status: 409,
      body: { code: 'UnmodifiableEntity' },
    });
  });
});

describe('buckets', () => {
  it('are made once, for one owner, and removed when they are empty', async () => {
    const made = await gateway.ask('PUT', '/buckets/photos', { account: 'team' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'photos', account: 'team', backend: 'store', objectLock: false, versioning: 'never' },
    });
    expect(await gateway.ask('PUT', '/buckets/photos', { account: 'team', objectLock: false })).toEqual({
      ...made,
      status: 200,
    });
    expect(await gateway.ask('GET', '/buckets/photos', undefined, READ_TOKEN)).toEqual({ ...made, status: 200 });
    for (const other of [{ account: 'other' }, { account: 'team', objectLock: true }]) {
      expect(await gateway.ask('PUT', '/buckets/photos', other)).toMatchObject({
        status: 409,
        body: { code: 'BucketAlreadyExists' },
      });
    }
    expect(await gateway.ask('GET', '/buckets?prefix=ph&limit=1')).toMatchObject({
      status: 200,
      body: { buckets: [{ name: 'photos', account: 'team' }], more: false },
    });
    expect(await gateway.ask('DELETE', '/buckets/photos')).toMatchObject({ status: 204 });
    expect(await gateway.ask('DELETE', '/buckets/photos')).toMatchObject({
      status: 404,
      body: { code: 'NoSuchBucket' },
    });
  });

  it.each<[string, string, unknown, number, string]>([
    ['a name that S3 has not', 'PUT /buckets/A', { account: 'team' }, 400, 'InvalidBucketName'],
    ['no such account', 'PUT /buckets/some-bucket', { account: 'none' }, 404, 'NoSuchEntity'],
    ['another backend', 'PUT /buckets/some-bucket', { account: 'team', backend: 'x' }, 422, 'InvalidInput'],
    ['a read-only bucket', 'PUT /buckets/frozen-1', { account: 'team' }, 403, 'AccessDenied'],
    ['no such bucket', 'GET /buckets/some-bucket', undefined, 404, 'NoSuchBucket'],
    ['a limit that is none', 'GET /buckets?limit=x', undefined, 400, 'ValidationError'],
    ['a parameter that is none', 'GET /buckets?marker=x', undefined, 400, 'ValidationError'],
  ])('%s', async (_, line, body, status, code) => {
    const [method = '', path = ''] = line.split(' ');
    expect(await gateway.ask(method, path, body)).toMatchObject({ status, body: { code } });
  });
});

describe('quotas', () => {
  it('of buckets and accounts are set, in force and taken away', async () => {
    const quota = { bytes: 1000 };
    expect(await gateway.ask('PUT', '/accounts/team/quota', quota)).toEqual({ status: 200, body: quota });
    expect(await gateway.ask('PUT', '/buckets/photos/quota', { objects: 5 })).toEqual({
      status: 200,
      body: { objects: 5 },
    });
    const { inForce } = gateway;
    const id = inForce.identities.accounts.byName('team')?.canonicalId ?? '';
    expect(inForce.identities.accounts.quotaOf(id)).toEqual(quota);
    expect(inForce.quotas.buckets).toEqual([{ pattern: 'photos', objects: 5 }]);
    for (const path of ['/accounts/team/quota', '/buckets/photos/quota']) {
      expect(await gateway.ask('PUT', path, {})).toMatchObject({ status: 400 });
      expect(await gateway.ask('DELETE', path)).toMatchObject({ status: 204 });
      expect(await gateway.ask('GET', path)).toMatchObject({ status: 404, body: { code: 'NoSuchEntity' } });
    }
    expect(inForce.identities.accounts.quotaOf(id)).toBeUndefined();
    expect(inForce.quotas.buckets).toEqual([]);
  });
});

describe('who may change something', () => {
  const changes = Object.values(ENDPOINTS).filter(({ method }) => method !== 'GET');
  const path = (of: string): string => of.replaceAll(/\{\w+\}/g, 'xxxxxxxxxxxxxxxx');

  it('are callers whose token may manage, and no others', async () => {
    expect(changes.length).toBeGreaterThan(10);
    for (const endpoint of changes) {
      const [reading, wrong] = await Promise.all([
        gateway.ask(endpoint.method, path(endpoint.path), {}, READ_TOKEN),
        gateway.ask(endpoint.method, path(endpoint.path), {}, ''),
      ]);
      expect([reading.status, wrong.status], `${endpoint.method} ${endpoint.path}`).toEqual([403, 401]);
    }
  });

  it('and not pages that send their cookie, nor forms', async () => {
    const url = `${gateway.url}/api/admin/v1/accounts/team/users/eve`;
    const cookie = `s3gw_admin=${MANAGE_TOKEN}`;
    const withCookie = await fetch(url, {
      method: 'PUT',
      body: '{}',
      headers: { cookie, 'content-type': 'application/json' },
    });
    expect(withCookie.status).toBe(401);
    const authorization = `Bearer ${MANAGE_TOKEN}`;
    const plain = await fetch(url, {
      method: 'PUT',
      body: '{}',
      headers: { authorization, 'content-type': 'text/plain' },
    });
    expect([plain.status, ((await plain.json()) as { code: string }).code]).toEqual([415, 'ValidationError']);
    const foreign = await fetch(url, {
      method: 'PUT',
      body: '{}',
      headers: { authorization, 'content-type': 'application/json', origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect(await gateway.ask('GET', '/accounts/team/users/eve')).toMatchObject({ status: 404 });
  });

  it('is recorded: what was done, refused and denied, and never a secret', async () => {
    const from = gateway.logged.length;
    const policies = [{ Statement: [{ Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::a/*'] }] }];
    await gateway.ask('PUT', '/accounts/team/users/frank', { policies });
    await gateway.ask('PUT', '/accounts/team/users/frank/keys/FRANKSFRANKSFR00', { secretAccessKey: SECRET });
    const created = await gateway.ask('POST', '/accounts/team/users/frank/keys');
    await gateway.ask('DELETE', '/accounts/team/users/none');
    await gateway.ask('DELETE', '/accounts/team/users/frank', undefined, READ_TOKEN);
    await gateway.ask('DELETE', '/accounts/team/users/frank');
    const records = gateway.logged.slice(from).filter(({ message }) => message === 'change by the admin API');
    expect(records.map(({ fields }) => [fields['endpoint'], fields['outcome']])).toEqual([
      ['putUser', 'done'],
      ['putKey', 'done'],
      ['createKey', 'done'],
      ['deleteUser', 'refused'],
      ['', 'denied'],
      ['deleteUser', 'done'],
    ]);
    expect(records.at(-1)?.fields).toMatchObject({
      who: expect.stringMatching(/^token <25 chars, sha256 [0-9a-f]{8}>$/) as unknown,
      from: '127.0.0.1',
      method: 'DELETE',
      names: { account: 'team', user: 'frank' },
    });
    const before = JSON.parse(String(records.at(-1)?.fields['before'])) as object;
    expect(before).toMatchObject({
      name: 'frank',
      settings: { policies },
      keys: [{ accessKeyId: 'FRANKSFRANKSFR00' }, {}],
    });
    const text = JSON.stringify(gateway.logged);
    for (const secret of [SECRET, (created.body as CreatedKey).secretAccessKey, OPERATORS_SECRET, MANAGE_TOKEN]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('the OpenAPI document', () => {
  it('has every endpoint, and real answers have its forms', async () => {
    const document = (await gateway.ask('GET', '/openapi.json', undefined, READ_TOKEN)).body as OpenApi;
    expect(document.openapi).toBe('3.1.0');
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema({ $id: 'api', ...document });
    await gateway.ask('PUT', '/accounts/team/users/grace', { buckets: ['a'], tags: { a: 'b' } });
    await gateway.ask('PUT', '/accounts/team/policies/some', { buckets: ['a'] });
    await gateway.ask('PUT', '/buckets/schema-bucket', { account: 'team', objectLock: true });
    await gateway.ask('PUT', '/accounts/other/quota', { bytes: 1 });
    const names: Record<string, string> = { account: 'team', user: 'grace', policy: 'some', bucket: 'schema-bucket' };
    let looked = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      expect(Object.keys(methods).length).toBeGreaterThan(0);
      if (methods['get'] === undefined || path.endsWith('quota')) continue;
      const { body, status } = await gateway.ask(
        'GET',
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? ''),
      );
      expect(status, path).toBe(200);
      const schema = methods['get'].responses['200']?.content['application/json'].schema.$ref ?? '';
      expect(ajv.validate({ $ref: `api${schema}` }, body), `${path}: ${ajv.errorsText()}`).toBe(true);
      looked += 1;
    }
    expect(looked).toBeGreaterThan(7);
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted());
  });

  it('names for each path the methods that it has; others are answered 405', async () => {
    const answer = await fetch(`${gateway.url}/api/admin/v1/accounts`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${READ_TOKEN}` },
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly responses: Readonly<
              Record<
                string,
                { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } } }
              >
            >;
          }
        >
      >
    >
  >;
}
