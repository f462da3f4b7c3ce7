import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { azureStore, createAzureClient, createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import { enter, leave, newTerritory } from '../../src/main/prove/territory.ts';
import { tryAssumptions } from '../../src/main/prove/trials.ts';
import type { ProofReport } from '../../src/main/prove/report.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { startAnswerProxy } from '../support/backends/answer-proxy.ts';
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

function differences(assumptions: ProofReport['assumptions']): string[] {
  return assumptions.filter(({ verdict }) => verdict === 'different').map(({ id, seen }) => `${id}: ${seen}`);
}

async function containersOf(store: BlobStore): Promise<string[]> {
  return (await store.listContainers(undefined, testCall())).containers.map(({ name }) => name).toSorted();
}

/** What Azurite does otherwise than Azure. */
const OF_AZURITE = [
  'A2: 201',
  'A33: 404 BlobNotFound, 409 BlobAlreadyExists',
  'A33: 201',
  'A34: not repeated',
  'A35: 201',
  'A36: 201',
  'A25: of these bytes',
  'A22: it does not',
  'A20: 412 ConditionNotMet',
];

/** What is found besides what is known, each counted. */
function beyond(known: readonly string[], found: readonly string[]): string[] {
  const left = [...known];
  return found.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

type Change = Awaited<ReturnType<typeof startAnswerProxy>>['change'];

const PLANTED: readonly (readonly [what: string, change: Change, expected: readonly string[]])[] = [
  ['drops the MD5 of what it stores', ({ headers }) => delete headers['content-md5'], ['A24: none']],
  [
    'lists in another order',
    (answer, { url = '' }) => {
      if (!url.includes('comp=list')) return;
      const text = answer.body.toString();
      const blobs = text.match(/<Blob>.*?<\/Blob>/gs) ?? [];
      answer.body = Buffer.from(text.replace(/<Blobs>.*<\/Blobs>/s, `<Blobs>${blobs.toReversed().join('')}</Blobs>`));
    },
    ['A27: not UTF-16', 'A30: c, b'],
  ],
  [
    'takes no heed of If-None-Match',
    (answer) => {
      if (answer.headers['x-ms-error-code'] !== 'BlobAlreadyExists') return;
      answer.status = 201;
    },
    ['A2: 201', 'A3: 201'],
  ],
  [
    'answers 412 for 409',
    (answer) => {
      if (answer.headers['x-ms-error-code'] !== 'BlobAlreadyExists') return;
      answer.status = 412;
      answer.headers['x-ms-error-code'] = 'ConditionNotMet';
    },
    ['A2: 412 ConditionNotMet', 'A33: 404 BlobNotFound, 412 ConditionNotMet', 'A3: 412 ConditionNotMet'],
  ],
];

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
    const file = join(folder, 'report.md');
    const [code, output] = await run(backend(), '--calls', '2', '--report', file).ended;
    const report = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as ProofReport;
    expect(differences(report.assumptions)).toEqual(OF_AZURITE);
    expect(report.acceptance.filter(({ verdict }) => verdict !== 'as on S3')).toEqual([]);
    expect(report.acceptance.length).toBeGreaterThan(10);
    expect(report.figures.every(({ median }) => median > 0)).toBe(true);
    expect(report.containers).toMatchObject({ left: 0, found: 0 });
    expect(report.stopped).toBeUndefined();
    expect(code).toBe(2);
    expect(await containersOf(store)).toEqual([]);
    for (const text of [output, readFileSync(file, 'utf8'), JSON.stringify(report)]) {
      expect(text).not.toMatch(new RegExp(`${DEVELOPMENT_ACCOUNT}|127\\.0\\.0\\.1|${DEVELOPMENT_KEY.slice(0, 20)}`));
    }
    expect(output).toContain('## Different');
  });

  test.each(PLANTED)('names a service that %s', async (_what, change, expected) => {
    const proxy = await startAnswerProxy(Number(new URL(azurite.endpoint).port));
    proxy.change = change;
    const endpoint = azurite.endpoint.replace(/:\d+/, `:${proxy.port}`);
    const azure = createAzureClient({ ...azurite.storeOptions, endpoint });
    const through = azureStore(azure);
    const territory = newTerritory();
    await enter(store, territory, testCall());
    const client = { kind: 'azure', azure } as const;
    const found = await tryAssumptions({ store: through, client, credential: 'accountKey' }, territory, testCall());
    expect(beyond(OF_AZURITE, differences(found))).toEqual(expected);
    await leave(store, territory, testCall());
    await through.close();
    await proxy.close();
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
  expect(output).not.toContain('secret-company');
  await double.stop();
});
