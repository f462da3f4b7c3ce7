import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import type { ObjectInspection, RequestDetail, RequestList } from '../../src/admin/inspector/contract.ts';
import { roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand, type Started } from '../support/gateway/start-command.ts';

// Processes and streams on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const { start, configFile, folder } = startCommand();
const TOKEN = 'token-of-the-operators';
const TRACE = resolve(import.meta.dirname, '../../src/trace.mjs');
const execute = promisify(execFile);

beforeAll(() => writeFileSync(join(folder, 'token'), `${TOKEN}\n`));

async function adminOf(started: Started): Promise<string> {
  return (await started.printed(/"admin":"([^"]+)"/))[1] ?? '';
}

async function ask<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

function trace(admin: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return execute(process.execPath, [TRACE, '--url', admin, '--once', ...args], {
    env: { PATH: process.env['PATH'], GATEWAY_ADMIN_TOKEN: TOKEN },
  });
}

describe('a gateway and its inspector', () => {
  test('show what was asked, of whom, and why it was refused; the terminal view shows the same', async () => {
    const started = start([
      '--config',
      configFile('inspector.yaml', { admin: { port: 0, tokenFile: 'token', replica: 'north' } }),
    ]);
    const port = await portOf(started);
    const admin = await adminOf(started);
    await roundTrip(port, signedHead({ method: 'PUT', target: '/bucket' }));
    await roundTrip(port, signedHead({ method: 'PUT', target: '/bucket/a%20b', headers: { 'content-length': '0' } }));
    const refused = await roundTrip(
      port,
      signedHead({ method: 'GET', target: '/bucket/a%20b' }).replace(/^host: .*$/im, 'host: gateway.internal'),
    );
    expect(refused.status).toBe(403);
    expect((await fetch(`${admin}/api/requests`)).status).toBe(401);
    expect((await fetch(admin)).headers.get('content-type')).toContain('text/html');

    await expect
      .poll(async () => (await ask<RequestList>(`${admin}/api/requests`)).requests.length, { timeout: 60_000 })
      .toBe(3);
    const { requests } = await ask<RequestList>(`${admin}/api/requests`);
    expect(requests.map(({ operation, status, identity, replica }) => [operation, status, identity, replica])).toEqual([
      ['GetObject', 403, expect.any(String), 'north'],
      ['PutObject', 200, 'main', 'north'],
      ['CreateBucket', 200, 'main', 'north'],
    ]);
    expect(requests[1]).toMatchObject({ bucket: 'bucket', key: 'a b', target: '/bucket/a%20b' });

    const detail = await ask<RequestDetail>(admin + (requests[0]?.href ?? ''));
    expect(detail.authentication).toMatchObject({
      verdict: 'refused',
      failure: { code: 'SignatureDoesNotMatch', hints: [{ cause: 'changed-host' }] },
    });
    expect(detail.authentication.failure?.stringToSign).toMatch(/^AWS4-HMAC-SHA256\n/);
    const put = await ask<RequestDetail>(admin + (requests[1]?.href ?? ''));
    expect([detail.request.ownHost, put.request.ownHost]).toEqual([undefined, true]);
    expect(put.authorisation).toEqual([{ action: 's3:PutObject', allowed: true, rule: 'owner of the bucket' }]);
    expect(put.head.after?.revision).toBeDefined();
    expect(await ask<ObjectInspection>(`${admin}/api/objects/bucket?key=a%20b`)).toMatchObject({
      head: { kind: 'inline', blob: 'a b' },
      versions: [{ versionId: 'null' }],
    });

    const { stdout } = await trace(admin, '--errors', '-b', 'bucket');
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/403 .*GetObject .*bucket\/a b .*SignatureDoesNotMatch/),
    ]);
    await expect(trace(admin, '--token-file', join(folder, 'inspector.yaml'))).rejects.toMatchObject({
      code: 1,
      stderr: 'it does not accept the token\n',
    });
    await expect(trace(admin, '--status', '4x')).rejects.toMatchObject({ code: 1 });
  });

  test('keep nothing, and have no such routes, when it is turned off', async () => {
    const started = start(['--config', configFile('none.yaml', { admin: { port: 0, inspector: false } })]);
    const admin = await adminOf(started);
    expect((await fetch(`${admin}/healthz`)).status).toBe(200);
    for (const path of ['/api/requests', '/', '/api/replicas']) {
      expect((await fetch(admin + path)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('workers', () => {
  let double: Awaited<ReturnType<typeof startGcsDouble>>;
  beforeAll(async () => {
    double = await startGcsDouble();
  });
  afterAll(() => double.stop());

  test('are all seen through the first, by whoever has the token', async () => {
    const backends = {
      store: {
        kind: 'gcs',
        owner: 'main',
        endpoint: double.endpoint,
        bucketPrefix: 'test-',
        credential: { kind: 'anonymous' },
      },
    };
    const started = start([
      '--config',
      configFile('workers.yaml', { workers: 2, admin: { port: 0, replica: 'south', tokenFile: 'token' }, backends }),
    ]);
    const port = await portOf(started);
    const admin = await adminOf(started);
    await expect.poll(() => started.output().split('"serving"').length, { timeout: 30_000 }).toBe(3);
    for (let i = 0; i < 24; i++) await roundTrip(port, signedHead({ target: '/' }));
    await expect
      .poll(async () => (await ask<RequestList>(`${admin}/api/requests?scope=all`)).requests.length, {
        timeout: 60_000,
      })
      .toBe(24);
    const { requests } = await ask<RequestList>(`${admin}/api/requests?scope=all`);
    expect(new Set(requests.map(({ replica }) => replica))).toEqual(new Set(['south-1', 'south-2']));
    expect((await fetch(`${admin}/api/requests?scope=all`)).status).toBe(401);
    for (const { href, id } of requests) expect((await ask<RequestDetail>(admin + href)).summary.id).toBe(id);
  });
});
