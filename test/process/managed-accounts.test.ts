import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CreatedKey } from '../../src/admin/manage/contract.ts';
import { roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand } from '../support/gateway/start-command.ts';

/* Three gateway processes that share a folder: the admin API of one of them makes keys for all. */

const TOKEN = 'the-token-that-may-manage';
/** What the issue of keys promises: everywhere by then, and nowhere by then. */
const WITHIN_MS = 5000;
const { start, configFile, folder } = startCommand({ keep: true });
let ports: number[] = [];
let api = '';

beforeAll(async () => {
  mkdirSync(join(folder, 'shared'));
  const settings = { admin: { port: 0, manage: { tokenEnv: 'MANAGE' } }, managedAccounts: { folder: 'shared' } };
  const config = configFile('replica.yaml', settings);
  const replicas = [1, 2, 3].map(() => start(['--config', config], { MANAGE: TOKEN }));
  ports = await Promise.all(replicas.map(portOf));
  const [, admin = ''] = (await replicas[0]?.printed(/"admin":"([^"]+)"/)) ?? [];
  api = `${admin}/api/admin/v1`;
});

async function ask(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body ?? {}) });
  return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
}

/** What ListBuckets answers to the key on each process. */
function answersTo({ accessKeyId: accessKey, secretAccessKey: secretKey }: CreatedKey): Promise<number[]> {
  const head = signedHead({ target: '/', accessKey, secretKey });
  return Promise.all(ports.map(async (port) => (await roundTrip(port, head)).status));
}

describe('a key', () => {
  test('works on three processes within 5 s of its creation, and on none within 5 s of its removal', async () => {
    expect((await ask('PUT', '/accounts/main/users/alice', { policy: 'account' })).status).toBe(201);
    const created = await ask('POST', '/accounts/main/users/alice/keys');
    const key = created.body as CreatedKey;
    const poll = { timeout: WITHIN_MS, interval: 100 };
    await expect.poll(() => answersTo(key), poll).toEqual([200, 200, 200]);
    expect((await ask('DELETE', `/accounts/main/users/alice/keys/${key.accessKeyId}`)).status).toBe(204);
    await expect.poll(() => answersTo(key), poll).toEqual([403, 403, 403]);
  });
});

test.each(['--check-config', '--preflight'])('%s says that the folder is missing', async (option) => {
  const admin = { port: 0, manage: { tokenEnv: 'MANAGE' } };
  const config = configFile('missing.yaml', { admin, managedAccounts: { folder: 'nowhere' } });
  const checked = start([option, config], { MANAGE: TOKEN });
  expect(await checked.ended()).toBe(1);
  const missing = join(folder, 'nowhere');
  expect(checked.output()).toBe(`managedAccounts.folder: there is no folder ${missing}: make it first\n`);
});
