import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import type { ProofReport } from '../../src/main/prove/report.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { AZURITE_DIFFERENCES, differences } from '../support/backends/trial-differences.ts';
import { testAccount } from '../support/gateway/start-command.ts';
import { testCall } from '../support/test-call.ts';

const PROVE = resolve(import.meta.dirname, '../../src/prove.mjs');
const folder = mkdtempSync(join(tmpdir(), 'prove-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Running {
  readonly child: ChildProcess;
  errors(): string;
  /** Exit code, and standard output. */
  readonly ended: Promise<readonly [number | null, string]>;
}

function run(backend: object, ...options: readonly string[]): Running {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, stringify({ accounts: [testAccount()], backends: { main: { owner: 'main', ...backend } } }));
  const child = spawn(process.execPath, [PROVE, '--config', file, ...options], {
    env: { PATH: process.env['PATH'], KEY: DEVELOPMENT_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => [code as number | null, output] as const);
  return { child, errors: () => errors, ended };
}

async function containersOf(store: BlobStore): Promise<string[]> {
  return (await store.listContainers(undefined, testCall())).containers.map(({ name }) => name).toSorted();
}

describe('over Azurite', { timeout: 120_000 }, () => {
  let azurite: AzuriteProcess;
  let store: BlobStore;
  beforeAll(async () => {
    azurite = await startAzurite();
    store = createAzureStore(azurite.storeOptions);
  });
  afterAll(async () => {
    await store.close();
    await azurite.stop();
  });
  const backend = () => ({
    kind: 'azure',
    endpoint: azurite.endpoint,
    credential: { kind: 'accountKey', keyEnv: 'KEY' },
  });

  test('names what the emulator does otherwise, S3 works through it, and nothing is left', async () => {
    const others = ['family-videos', 'private-photos'];
    await store.createContainer('family-videos', {}, testCall());
    await store.createContainer('private-photos', { owner: 'a bucket of another gateway' }, testCall());
    const file = join(folder, 'report.md');
    const [code, output] = await run(backend(), '--calls', '2', '--report', file).ended;
    const report = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as ProofReport;
    expect(differences(report.assumptions)).toEqual(AZURITE_DIFFERENCES);
    expect(report.acceptance.filter(({ verdict }) => verdict !== 'as on S3')).toEqual([]);
    expect(report.acceptance.length).toBeGreaterThan(10);
    expect(report.figures.every(({ median }) => median > 0)).toBe(true);
    expect(report.containers).toMatchObject({ left: 0, found: 0 });
    expect(report.stopped).toBeUndefined();
    expect(code).toBe(2);
    expect(await containersOf(store)).toEqual(others);
    for (const name of others) await store.removeContainer(name, testCall());
    for (const text of [output, readFileSync(file, 'utf8'), JSON.stringify(report)]) {
      for (const name of others) expect(text).not.toContain(name);
      expect(text).not.toMatch(new RegExp(`${DEVELOPMENT_ACCOUNT}|127\\.0\\.0\\.1|${DEVELOPMENT_KEY.slice(0, 20)}`));
    }
    expect(output).toContain('## Different');
  });

  test('a second run removes what a killed one left, and nothing else', async () => {
    const others = ['photos', 'prove-0123456789-own'];
    for (const name of others) await store.createContainer(name, { owner: 'somebody' }, testCall());
    const first = run(backend(), '--calls', '9999');
    await vi.waitFor(() => expect(first.errors()).toContain('measuring'), { timeout: 60_000 });
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await containersOf(store)).length).toBeGreaterThan(others.length + 2);

    const stopped = run(backend(), '--calls', '9999', '--json');
    await vi.waitFor(() => expect(stopped.errors()).toContain('measuring'), { timeout: 60_000 });
    stopped.child.kill('SIGTERM');
    const [code, output] = await stopped.ended;
    const { containers, stopped: why } = JSON.parse(output) as ProofReport;
    expect(code).toBe(3);
    expect(why).toContain('told to stop by SIGTERM');
    expect(containers.found).toBeGreaterThan(2);
    expect(containers.left).toBe(0);
    expect(await containersOf(store)).toEqual(others);
  });
});

test('over the double of Cloud Storage all is as assumed', { timeout: 120_000 }, async () => {
  const double = await startGcsDouble();
  const { endpoint } = double;
  const backend = { kind: 'gcs', endpoint, bucketPrefix: 'secret-company-', credential: { kind: 'anonymous' } };
  const [code, output] = await run(backend, '--calls', '1', '--json').ended;
  const report = JSON.parse(output) as ProofReport;
  expect(differences(report.assumptions)).toEqual([]);
  expect(report.acceptance.filter(({ verdict }) => verdict !== 'as on S3')).toEqual([]);
  expect(report.containers.left).toBe(0);
  expect(code).toBe(0);
  expect(output).not.toMatch(/secret-company|127\.0\.0\.1/);
  await double.stop();
});
