import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import { RawConnection, roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand, type Started } from '../support/gateway/start-command.ts';

const { start, configFile, folder } = startCommand();
let double: Awaited<ReturnType<typeof startGcsDouble>>;

beforeAll(async () => {
  double = await startGcsDouble();
});
afterAll(() => double.stop());

function gcs(endpoint: string): object {
  return {
    store: {
      kind: 'gcs',
      owner: 'main',
      endpoint,
      bucketPrefix: 'test-',
      credential: { kind: 'anonymous' },
      retries: { attempts: 1 },
    },
  };
}

function command(changes: object = {}): Started {
  return start([
    '--config',
    configFile('workers.yaml', { workers: 2, admin: { port: 0 }, backends: gcs(double.endpoint), ...changes }),
  ]);
}

/** Process ids of those that said they serve, in that order. */
function serving(started: Started): number[] {
  return started
    .output()
    .split('\n')
    .filter((line) => line.includes('"serving"'))
    .map((line) => (JSON.parse(line) as { pid: number }).pid);
}

async function whenServing(started: Started, count: number): Promise<number[]> {
  await expect.poll(() => serving(started).length, { timeout: 30_000 }).toBe(count);
  return serving(started);
}

/** Each process answers under a host id of its own. */
async function hosts(port: number, connections = 24): Promise<Set<string | undefined>> {
  const answers = await Promise.all(
    Array.from({ length: connections }, () => roundTrip(port, signedHead({ target: '/' }))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return new Set(answers.map(({ headers }) => headers['x-amz-id-2']));
}

/** Values of the label that tells workers apart. */
function workersIn(metrics: string): string[] {
  return [...new Set([...metrics.matchAll(/\{worker="(\d+)"/g)].map((match) => match[1] ?? ''))].sort();
}

describe('two workers', { timeout: 90_000 }, () => {
  test('share one port, each with an admin port', async () => {
    const started = command();
    const port = await portOf(started);
    await whenServing(started, 2);
    expect((await hosts(port)).size).toBe(2);
    const admins = [...started.output().matchAll(/"admin":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(new Set(admins).size).toBe(2);
    for (const admin of admins) {
      expect((await fetch(`${admin}/readyz`)).status).toBe(200);
      await expect
        .poll(async () => workersIn(await (await fetch(`${admin}/metrics`)).text()), { timeout: 60_000 })
        .toEqual(['1', '2']);
    }
    expect(workersIn(await (await fetch(`${admins[1] ?? ''}/metrics?scope=own`)).text())).toEqual([]);
  });

  test('one that dies is replaced, while the other serves', async () => {
    const started = command();
    const port = await portOf(started);
    const [first = 0, second = 0] = await whenServing(started, 2);
    process.kill(first, 'SIGKILL');
    await started.printed(/a worker ended by itself and is replaced/);
    expect((await hosts(port)).size).toBe(1);
    const pids = await whenServing(started, 3);
    expect(new Set(pids).size).toBe(3);
    expect(pids).toContain(second);
    expect((await hosts(port)).size).toBe(2);
  });

  test('finish what is under way when told to stop', async () => {
    const started = command();
    const port = await portOf(started);
    await whenServing(started, 2);
    expect((await roundTrip(port, signedHead({ method: 'PUT', target: '/bucket' }))).status).toBe(200);
    const uploads = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (key) => {
        const connection = await RawConnection.open(port);
        connection.send(
          `${signedHead({ method: 'PUT', target: `/bucket/${key}`, headers: { 'content-length': '6' } })}abc`,
        );
        return connection;
      }),
    );
    await sleep(300);
    started.child.kill('SIGTERM');
    await expect.poll(() => started.output().split('"draining"').length, { timeout: 60_000 }).toBe(3);
    await sleep(300);
    for (const upload of uploads) upload.send('def');
    const answers = await Promise.all(uploads.map((upload) => upload.answer()));
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual(
      uploads.map(() => [200, 'close']),
    );
    expect(await started.ended()).toBe(0);
  });

  test('open the access log anew on SIGHUP', async () => {
    const file = join(folder, 'access.log');
    const started = command({ accessLog: { format: 'json', file } });
    const port = await portOf(started);
    await whenServing(started, 2);
    renameSync(file, `${file}.1`);
    started.child.kill('SIGHUP');
    const lines = (path: string): number => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);
    // The file is there again as soon as one of them opened it: the other may still write to the old one.
    await expect
      .poll(async () => {
        const [old, both] = [lines(`${file}.1`), lines(file) + lines(`${file}.1`)];
        expect((await hosts(port)).size).toBe(2);
        await expect.poll(() => lines(file) + lines(`${file}.1`)).toBe(both + 24);
        return lines(`${file}.1`) - old;
      })
      .toBe(0);
    expect(started.output()).not.toContain('ended by itself');
  });

  test('say once what keeps them from starting', async () => {
    const started = command({ backends: gcs('http://127.0.0.1:1') });
    expect(await started.ended()).toBe(1);
    expect(
      started
        .output()
        .split('\n')
        .filter((line) => line.startsWith('backends.store: no usable answer')),
    ).toHaveLength(1);
  });

  test('cannot share what belongs to one process', async () => {
    const started = command({ backends: { store: { kind: 'memory', owner: 'main' } } });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toBe('workers: expected 1 or auto, as backends.store belongs to one process\n');
  });
});
