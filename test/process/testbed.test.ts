import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { Testbed } from '../support/gateway/testbed.ts';
import { parseOptions } from '../testbed/options.ts';

const SCRIPT = join(import.meta.dirname, '../testbed.mjs');

describe('options', () => {
  test('defaults', () => {
    expect(parseOptions([])).toEqual({
      backend: 'azure',
      backendEndpoint: undefined,
      backendTls: true,
      port: 0,
      tlsPort: undefined,
      replicas: 1,
      workers: 1,
      inMemory: false,
      faultPlan: undefined,
      customerKeys: false,
    });
  });

  test.each([
    [[], true],
    [['--backend-tls', 'off'], false],
    [['--backend', 'memory'], false],
    [['--backend', 'gcs', '--backend-endpoint', 'http://127.0.0.1:1'], false],
  ])('%j reaches the backend by https: %j', (argv, tls) => {
    expect(parseOptions(argv).backendTls).toBe(tls);
  });

  test.each([
    [['--backend', 's3'], '--backend: expected one of memory, azure, gcs, gcs-fake, got s3'],
    [
      ['--backend', 'gcs-fake', '--backend-endpoint', 'http://127.0.0.1:1'],
      '--backend-endpoint: only with --backend azure or gcs',
    ],
    [['--backend', 'memory', '--replicas', '2'], 'its memory cannot be shared'],
    [['--backend', 'memory', '--workers', '2'], 'its memory cannot be shared'],
    [['--backend', 'memory', '--fault-plan', 'plan.ts'], 'only before a backend that is reached over a network'],
    [['--backend', 'memory', '--backend-tls', 'on'], 'only before a backend that the test bed starts'],
    [['--backend-tls', 'yes'], '--backend-tls: expected on or off, got yes'],
    [['--port', 'x'], '--port: expected a number from 0 to 65535, got x'],
    [['--replicas', '0'], '--replicas: expected a number from 1 to 64, got 0'],
    [['--frobnicate'], 'usage: npm run testbed'],
  ])('%j', (argv, message) => {
    expect(() => parseOptions(argv)).toThrow(message);
  });
});

describe('processes', () => {
  async function start(args: string[], stdin: 'pipe' | number): Promise<{ child: ChildProcess; bed: Testbed }> {
    const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: [stdin, 'pipe', 'inherit'] });
    if (child.stdout === null) throw new Error('no standard output');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line', {
      signal: AbortSignal.timeout(120_000),
    })) as [string];
    return { child, bed: JSON.parse(line) as Testbed };
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  function alive({ pids, backend }: Testbed): number[] {
    return [...pids, ...(backend.pid === undefined ? [] : [backend.pid])].filter(isAlive);
  }

  test('replicas of several workers over one Azurite; all end when the test bed is killed', async () => {
    const { child, bed } = await start(['--replicas', '2', '--workers', '2', '--tls-port', '0'], 'pipe');
    expect(bed).toMatchObject({
      region: 'us-east-1',
      backend: { kind: 'azure' },
      accounts: [{ name: 'main' }, { name: 'alt' }, { name: 'tenant' }],
    });
    expect([bed.endpoints.length, bed.tlsEndpoints.length, new Set(bed.pids).size]).toEqual([2, 2, 4]);
    for (const endpoint of bed.endpoints) expect((await fetch(endpoint)).status).toBe(403);
    expect(alive(bed)).toHaveLength(5);
    child.kill('SIGKILL');
    await expect.poll(() => alive(bed), { timeout: 60_000 }).toEqual([]);
  }, 180_000);

  test('a plan of faults is followed before the backend', async () => {
    const { child, bed } = await start(
      ['--backend', 'gcs', '--fault-plan', join(import.meta.dirname, 'no-buckets.ts')],
      'pipe',
    );
    expect(bed.backend).toMatchObject({ kind: 'gcs', tlsEndpoint: expect.stringMatching(/^https:/) as string });
    expect((await fetch(`${bed.backend.endpoint ?? ''}/storage/v1/b?project=any`)).status).toBe(200);
    const refused = await fetch(`${bed.backend.endpoint ?? ''}/storage/v1/b/any`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '9']);
    child.stdin?.end();
    expect((await once(child, 'exit'))[0]).toBe(0);
  }, 180_000);

  test('a standard input that closes stops it, /dev/null does not, a signal does', async () => {
    const held = await start(['--backend', 'memory'], 'pipe');
    held.child.stdin?.end();
    expect((await once(held.child, 'exit'))[0]).toBe(0);
    expect(alive(held.bed)).toEqual([]);

    const free = await start(['--backend', 'memory'], openSync('/dev/null', 'r'));
    expect((await fetch(free.bed.endpoints[0] ?? '')).status).toBe(403);
    free.child.kill('SIGTERM');
    expect((await once(free.child, 'exit'))[0]).toBe(0);
    expect(alive(free.bed)).toEqual([]);
  }, 180_000);
});
