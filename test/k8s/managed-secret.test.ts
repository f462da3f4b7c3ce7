import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CreatedKey } from '../../src/admin/manage/contract.ts';
import { roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand } from '../support/gateway/start-command.ts';
import { Cluster } from './cluster.ts';

/* Managed accounts in a Secret of a real API server, with the rights that the chart gives, and no others. */

const TOKEN = 'the-token-that-may-manage';
const WITHIN_MS = 5000;
const { start, configFile, folder } = startCommand({ keep: true });
let cluster: Cluster;
let ports: number[] = [];
let api = '';

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, output } = await cluster.kubectl(...args);
  if (code !== 0) throw new Error(output);
  return output.trim();
}

beforeAll(async () => {
  cluster = await Cluster.start();
  await kubectl('create', 'serviceaccount', 'gateway');
  await kubectl('create', 'secret', 'generic', 'managed');
  await kubectl('create', 'role', 'managed', '--verb=get,patch', '--resource=secrets', '--resource-name=managed');
  await kubectl('create', 'rolebinding', 'managed', '--role=managed', '--serviceaccount=default:gateway');
  writeFileSync(join(folder, 'own-token'), await kubectl('create', 'token', 'gateway'), { mode: 0o600 });
  const secret = { ...cluster.api, tokenFile: 'own-token', namespace: 'default', name: 'managed' };
  const settings = { admin: { port: 0, manage: { tokenEnv: 'MANAGE' } }, managedAccounts: { secret } };
  const config = configFile('replica.yaml', settings);
  const replicas = [1, 2, 3].map(() => start(['--config', config], { MANAGE: TOKEN }));
  ports = await Promise.all(replicas.map(portOf));
  const [, admin = ''] = (await replicas[0]?.printed(/"admin":"([^"]+)"/)) ?? [];
  api = `${admin}/api/admin/v1`;
});

afterAll(() => cluster.stop());

async function ask(method: string, path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const body = { GET: null, DELETE: '{}', POST: '{}', PUT: '{"policy":"account"}' }[method] ?? null;
  const answer = await fetch(`${api}${path}`, { method, headers, body });
  return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
}

function answersTo({ accessKeyId: accessKey, secretAccessKey: secretKey }: CreatedKey): Promise<number[]> {
  const head = signedHead({ target: '/', accessKey, secretKey });
  return Promise.all(ports.map(async (port) => (await roundTrip(port, head)).status));
}

test('a key works on three processes within 5 s of its creation, and on none within 5 s of its removal', async () => {
  expect((await ask('PUT', '/accounts/main/users/alice')).status).toBe(201);
  const created = await ask('POST', '/accounts/main/users/alice/keys');
  const key = created.body as CreatedKey;
  const poll = { timeout: WITHIN_MS, interval: 100 };
  await expect.poll(() => answersTo(key), poll).toEqual([200, 200, 200]);
  expect((await ask('DELETE', `/accounts/main/users/alice/keys/${key.accessKeyId}`)).status).toBe(204);
  await expect.poll(() => answersTo(key), poll).toEqual([403, 403, 403]);
});

test('changes of many callers at a time are all made', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `user-${String(index)}`);
  const answers = await Promise.all(names.map((name) => ask('PUT', `/accounts/main/users/${name}`)));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  const { users } = (await ask('GET', '/accounts/main/users')).body as {
    readonly users: readonly { readonly name: string }[];
  };
  expect(users.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

test('without the right to ask, keys stay as they were, and a change is refused', async () => {
  await kubectl('delete', 'rolebinding', 'managed');
  await expect.poll(async () => (await ask('PUT', '/accounts/main/users/late')).status, { timeout: 60_000 }).toBe(503);
});
