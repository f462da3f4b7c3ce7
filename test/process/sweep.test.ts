import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import type { Bucket } from '../../src/manifest/records/bucket.ts';
import { newToken } from '../../src/manifest/records/version-token.ts';
import { versionRef } from '../../src/manifest/records/version-names.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { readAll } from '../../src/streams/bytes.ts';
import { OWNER, type TestManifest, putOf, testManifest } from '../support/manifest/manifest.ts';
import { testCall } from '../support/test-call.ts';

const SOURCES = join(import.meta.dirname, '../../src');

let folder: string;
let azurite: AzuriteProcess;
let store: BlobStore;
let config: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sweep-'));
  azurite = await startAzurite();
  store = createAzureStore(azurite.storeOptions);
  config = join(folder, 'gateway.yaml');
  const account = {
    name: 'main',
    canonicalId: 'a'.repeat(64),
    displayName: 'Main',
    email: 'main@example.com',
    accountNumber: '123456789012',
    keys: [],
  };
  const backend = {
    kind: 'azure',
    owner: 'main',
    endpoint: azurite.endpoint,
    systemContainer: 'system',
    credential: { kind: 'accountKey', keyEnv: 'AZURE_KEY' },
  };
  writeFileSync(config, stringify({ listeners: [{ port: 0 }], accounts: [account], backends: { store: backend } }));
});

afterAll(async () => {
  await store.close();
  await azurite.stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function run(script: string, ...args: string[]): Promise<Ended> {
  return runWith({}, script, ...args);
}

async function runWith(environment: NodeJS.ProcessEnv, script: string, ...args: string[]): Promise<Ended> {
  const key = azurite.storeOptions.credential.kind === 'accountKey' ? azurite.storeOptions.credential.key : '';
  const child = spawn(process.execPath, [join(SOURCES, script), ...args], {
    env: { PATH: process.env['PATH'], AZURE_KEY: key, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

async function textOf(container: string, name: string): Promise<string> {
  return (await readAll((await store.read({ container, name }, {}, testCall())).body)).toString();
}

async function names(container: string, prefix = ''): Promise<string[]> {
  return (await store.list(container, { prefix, limit: 100 }, testCall())).entries.map((entry) => entry.name);
}

describe('on Azurite', () => {
  let world: TestManifest;
  let bucket: Bucket;

  beforeAll(async () => {
    world = await testManifest({ store });
    await world.buckets.setVersioning(world.bucket, 'enabled', testCall());
    bucket = await world.buckets.get('bucket', testCall());
    await world.objects.put({ bucket, key: 'a' }, putOf('one'), testCall());
    await world.objects.put({ bucket, key: 'a' }, putOf('two'), testCall());
    await world.objects.put({ bucket, key: 'escaped/./b' }, putOf('b'), testCall());
    await world.objects.put({ bucket, key: 'gone' }, putOf('gone'), testCall());
    const { versionId } = await world.objects.remove(
      { bucket, key: 'gone' },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    await world.objects.remove({ bucket, key: 'gone', versionId }, { conditions: {}, ownerId: OWNER }, testCall());
    await world.settler.idle();
    await store.write(
      versionRef({ bucket, key: 'a' }, newToken(Date.now() * 1000)),
      Buffer.from('crashed'),
      { metadata: { s3gw: '{"v":1,"s":1}' } },
      testCall(),
    );
    // The service's times are whole seconds.
    await new Promise((passed) => setTimeout(passed, 2100));
  });

  const short = ['--unsafe-short-grace', '--grace', '0'];

  it('a check names what there is, and changes nothing', async () => {
    const before = await names('system');
    const { code, output, errors } = await run('sweep.mjs', '--config', config, '--check', ...short);
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/1 versions, 7 bytes: blobs of versions/);
    expect(output).toMatch(/1 index: /);
    expect(await names('system')).toEqual(before);
  });

  it('within the grace nothing goes', async () => {
    const { code, output } = await run('sweep.mjs', '--config', config);
    expect([code, output]).toEqual([0, 'backend store: 1 buckets, nothing to be done\n']);
  });

  it('a sweep removes it, and what is left is what it was', async () => {
    const { code, output } = await run('sweep.mjs', '--config', config, '--json', ...short);
    expect(code).toBe(0);
    const report = JSON.parse(output) as { complete: boolean; backends: { buckets: { counts: object }[] }[] };
    expect(report.complete).toBe(true);
    expect(report.backends[0]?.buckets[0]?.counts).toMatchObject({
      versions: { found: 1, done: 1 },
      index: { found: 1, done: 1 },
    });
    expect(await names('system', 'v/')).toHaveLength(4);
    expect(await names('system', 'x/')).toEqual([]);
  });

  it('an export leaves the bytes at their keys', async () => {
    expect(await textOf('bucket', 'a')).toBe('');
    const { code, output, errors } = await run(
      'export-plain.mjs',
      '--config',
      config,
      '--bucket',
      'bucket',
      '--versions-under',
      'old/',
    );
    expect([code, errors]).toEqual([0, '']);
    expect(output).toContain('3 copied (3 done, 0 done before or changed meanwhile, 0 failed)');
    expect([await textOf('bucket', 'a'), await textOf('bucket', 'gone')]).toEqual(['two', 'gone']);
    const [old = ''] = await names('bucket', 'old/a/');
    expect(await textOf('bucket', old)).toBe('one');
    const { view } = await world.objects.open({ bucket, key: 'a' }, {}, testCall());
    expect(view.versionId).not.toBe('null');
    expect((await run('export-plain.mjs', '--config', config, '--bucket', 'bucket')).output).toBe(
      'bucket bucket (backend store): is plain\n',
    );
  });
});

describe('the command line', () => {
  it.each<[string, string[], string]>([
    ['a grace that is too short', ['--grace', '1'], '--grace: expected a number from 24 on, got 1\n'],
    ['a number that is none', ['--grace', 'long'], '--grace: expected a number from 24 on, got long\n'],
    [
      'tombstones younger than a day',
      ['--tombstones-older-than', '23'],
      '--tombstones-older-than: expected a number from 24 on, got 23\n',
    ],
    ['a backend that is not there', ['--backend', 'none'], '--backend: the configuration has no none, only store\n'],
    ['a bucket that is not there', ['--bucket', 'none'], '--bucket: there is no bucket none\n'],
    ['a recovery everywhere', ['--recover-lost'], '--recover-lost: only together with --bucket, and without --check\n'],
  ])('%s is refused in one line', async (_name, args, expected) => {
    const { code, errors } = await run('sweep.mjs', '--config', config, ...args);
    expect([code, errors]).toEqual([1, expected]);
  });

  it('without a configuration nothing is swept', async () => {
    const { code, errors } = await run('sweep.mjs');
    expect(code).toBe(1);
    expect(errors).toContain('--config: expected');
    expect((await run('export-plain.mjs', '--config', config)).errors).toContain(
      'expected either --bucket NAME or --all',
    );
  });

  it('a dead backend is a problem, not the end', async () => {
    const dead = join(folder, 'dead.yaml');
    const account = {
      name: 'main',
      canonicalId: 'a'.repeat(64),
      displayName: 'Main',
      email: 'main@example.com',
      accountNumber: '123456789012',
      keys: [],
    };
    const backend = {
      kind: 'azure',
      owner: 'main',
      endpoint: 'http://127.0.0.1:1/account',
      credential: { kind: 'accountKey', keyEnv: 'AZURE_KEY' },
      retries: { attempts: 1 },
    };
    writeFileSync(dead, stringify({ listeners: [{ port: 0 }], accounts: [account], backends: { store: backend } }));
    const { code, output } = await run('sweep.mjs', '--config', dead);
    expect(code).toBe(2);
    expect(output).toContain('problem: clock: ');
  });
});

describe('lifecycle rules on Azurite', () => {
  const lifecycle = (environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
    runWith(environment, 'sweep.mjs', '--config', config, '--lifecycle', '--bucket', 'aged', ...args);
  const SHORT = { UNSAFE_TESTS: '1' };

  it('are carried out, once what they are for is old enough', async () => {
    const world = await testManifest({ store });
    await world.buckets.create({ name: 'aged', ownerId: OWNER }, testCall());
    const aged = await world.buckets.get('aged', testCall());
    const rule = { id: 'a rule', isEnabled: true, filter: { prefix: 'old/' }, expiration: { days: 1 } };
    await world.buckets.amend(aged, (settings) => ({ ...settings, lifecycle: { rules: [rule] } }), testCall());
    for (const key of ['old/a', 'old/b', 'new']) await world.objects.put({ bucket: aged, key }, putOf(key), testCall());

    const refused = await lifecycle({}, '--unsafe-day-seconds', '1');
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('UNSAFE_TESTS=1')]);
    const early = await lifecycle({}, '--dry-run');
    expect(early).toMatchObject({
      code: 0,
      output: expect.stringContaining('rule a rule: 2 looked at, 0 due') as string,
    });
    let done: Ended;
    do {
      done = await lifecycle(SHORT, '--unsafe-day-seconds', '1');
      expect([done.code, done.errors]).toEqual([0, expect.stringContaining('for tests only')]);
    } while ((await names(aged.home.container)).length > 1);
    expect(await names(aged.home.container)).toEqual(['new']);
    expect(await names('system', 'l/')).toEqual([`l/${aged.uid}/lifecycle`, `l/${aged.uid}/pass`]);
  });
});

describe('inventories on Azurite', () => {
  const inventory = (...args: string[]): Promise<Ended> =>
    run('sweep.mjs', '--config', config, '--inventory', '--bucket', 'listed', ...args);

  it('have a report a day', async () => {
    const world = await testManifest({ store });
    for (const name of ['listed', 'reports']) await world.buckets.create({ name, ownerId: OWNER }, testCall());
    const listed = await world.buckets.get('listed', testCall());
    const reports = await world.buckets.get('reports', testCall());
    const destination = { bucketArn: 'arn:aws:s3:::reports', format: 'Parquet' } as const;
    const daily = { id: 'daily', isEnabled: true, versions: 'All', frequency: 'Daily', destination } as const;
    await world.buckets.amend(listed, (settings) => ({ ...settings, inventories: [daily] }), testCall());
    await world.objects.put({ bucket: listed, key: 'an object' }, putOf('bytes'), testCall());
    const Statement = {
      Effect: 'Allow',
      Principal: { Service: 's3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: 'arn:aws:s3:::reports/*',
    };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await world.buckets.amend(reports, (settings) => ({ ...settings, policy }), testCall());
    const written = await inventory();
    expect([written.code, written.output]).toEqual([0, expect.stringContaining('1 rows in 1 files')]);
    expect(await names('reports')).toEqual([
      expect.stringMatching(/^listed\/daily\/\d{4}-\d\d-\d\dT\d\d-\d\dZ\/manifest\.checksum$/),
      expect.stringMatching(/\/manifest\.json$/),
      expect.stringMatching(/^listed\/daily\/data\/[0-9a-f-]{36}\.parquet$/),
      expect.stringMatching(/^listed\/daily\/hive\/dt=[0-9-]{16}\/symlink\.txt$/),
    ]);
    expect((await inventory()).output).toContain('nothing was due');
  });
});

it('usage is counted, and kept for gateways', async () => {
  const { code, output, errors } = await run('sweep.mjs', '--config', config, '--usage', '--bucket', 'aged');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toBe('bucket aged (backend store): 1 versions, 3 bytes, 0 delete markers, 0 open uploads\n');
  expect(await names('system', 'a/')).toEqual([expect.stringMatching(/^a\/[^/]+\/[^/]+\/usage$/)]);
  const refused = await run('sweep.mjs', '--config', config, '--usage', '--grace', '48');
  expect([refused.code, refused.errors]).toEqual([1, '--grace: not together with --usage\n']);
});
