import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CsvFile } from '../../../src/inventory/csv-file.ts';
import type { InventoryOutcome } from '../../../src/inventory/inventory-run.ts';
import type { Inventory } from '../../../src/protocol/inventory/inventory.ts';
import { wrapStore } from '../../../src/store/wrap-store.ts';
import { OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { readReport } from '../../support/inventory/reports.ts';
import { testCall } from '../../support/test-call.ts';
import {
  configure,
  DAY,
  dyingAt,
  find,
  INVENTORY,
  KEYS,
  keysOf,
  LETS_IN,
  make,
  MINUTE,
  openScene,
  put,
  read,
  run,
  setPolicy,
  store,
  stored,
  time,
  world,
} from './inventory-scene.ts';

beforeEach(openScene);
afterEach(() => {
  vi.restoreAllMocks();
});

test('a report has data files of a bounded size, a manifest, its checksum, and a list for Hive', async () => {
  const { written } = (await run()) ?? {};
  expect(written).toMatchObject({ rows: 7, files: 4 });
  const { rows, files, schema } = await readReport(written?.manifest ?? '', read);
  expect([schema, files]).toEqual(['Bucket, Key, Size', written?.files]);
  expect(rows).toEqual(KEYS.map((Key) => ({ Bucket: 'photos', Key, Size: '5' })));
  const data = (await stored()).filter((name) => name.startsWith('photos/all/data/'));
  const symlink = (await read('photos/all/hive/dt=2026-01-01-00-00/symlink.txt')).toString();
  expect(symlink.split('\n').filter(Boolean).toSorted()).toEqual(data.map((name) => `s3://reports/${name}`));
  expect(written?.manifest).toBe('photos/all/2026-01-01T00-00Z/manifest.json');
});

test('an empty bucket has a report without data files', async () => {
  await make('empty');
  await configure('photos', { ...INVENTORY, isEnabled: false });
  await configure('empty', INVENTORY);
  const { written } = (await run()) ?? {};
  expect([written?.rows, written?.files]).toEqual([0, 0]);
  expect(await keysOf(written?.manifest)).toEqual([]);
});

describe('a destination is refused, and nothing is written', () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'without a policy that names the service',
      () => setPolicy({ ...LETS_IN, Statement: { ...LETS_IN.Statement, Principal: '*' } }),
      /policy/,
    ],
    [
      'by a condition',
      () =>
        setPolicy({
          ...LETS_IN,
          Statement: { ...LETS_IN.Statement, Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::other' } } },
        }),
      /policy .* condition on aws:SourceArn does not hold$/,
    ],
    [
      'by a statement that denies',
      () =>
        setPolicy({
          ...LETS_IN,
          Statement: [
            LETS_IN.Statement,
            { Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: 'arn:aws:s3:::reports/*' },
          ],
        }),
      /policy/,
    ],
    ['that is not there', () => configure('photos', to({ bucketArn: 'arn:aws:s3:::nowhere' })), /does not exist/],
    [
      'of another account than was named',
      () => configure('photos', to({ accountId: '555555555555' })),
      /another account/,
    ],
    [
      'under an unknown key',
      () => configure('photos', to({ encryption: { kind: 'kms', keyId: 'none' } })),
      /Key 'none'/,
    ],
  ])('%s', async (_name, prepare, problem) => {
    await prepare();
    expect((await run())?.problem).toMatch(problem);
    expect(await stored()).toEqual([]);
  });

  test('that is read-only; once it no longer is, the report begins', async () => {
    expect((await run({ readOnly: 'reports' }))?.problem).toMatch(/read-only/);
    time.advance(2 * DAY);
    expect((await run())?.written?.manifest).toBe('photos/all/2026-01-03T00-00Z/manifest.json');
  });
});

function to(destination: Partial<Inventory['destination']>): Inventory {
  return { ...INVENTORY, destination: { ...INVENTORY.destination, ...destination } };
}

test('another object at the key of the manifest is not read, gets no checksum, and stays', async () => {
  const foreign = 'x'.repeat(100_000);
  const ref = { container: 'reports', name: 'photos/all/2026-01-01T00-00Z/manifest.json' };
  await store.write(ref, Buffer.from(foreign), { metadata: {} }, testCall());
  let reads = 0;
  const watched = wrapStore(store, async (call, work) => {
    if (call.method === 'read' && call.ref.name === ref.name) reads += 1;
    return work();
  });
  expect((await run({}, watched))?.problem).toBe(`another object is at ${ref.name}`);
  expect([(await read(ref.name)).toString() === foreign, reads]).toEqual([true, 0]);
  expect((await stored()).filter((name) => name.endsWith('checksum'))).toEqual([]);
});

test('another manifest of the same size gets no checksum', async () => {
  const first = (await run())?.written?.manifest ?? '';
  const foreign = Buffer.from((await read(first)).toString().replace('"size": ', '"size" :'));
  time.advance(DAY);
  const [manifest, name] = [first.replace('01-01', '01-02'), 'photos/all/2026-01-02T00-00Z/manifest.json'];
  expect(manifest).toBe(name);
  await store.write({ container: 'reports', name }, foreign, { metadata: {} }, testCall());
  expect((await run())?.problem).toBe(`another object is at ${name}`);
  expect((await stored()).filter((key) => key.endsWith('01-02T00-00Z/manifest.checksum'))).toEqual([]);
});

test('what failed leaves memory before the next inventory has its turn', async () => {
  const discard = vi.spyOn(CsvFile.prototype, 'discard');
  await configure('photos', { ...INVENTORY, id: 'a' }, { ...INVENTORY, id: 'b' });
  let discardedBefore: number | undefined;
  const failing = wrapStore(store, async ({ method, ref }, work) => {
    if (method === 'write' && ref.name?.startsWith('photos/a/data/') === true) throw new Error('not today');
    if (method === 'write' && ref.name?.startsWith('photos/b/data/') === true) {
      discardedBefore ??= discard.mock.calls.length;
    }
    return work();
  });
  const { problem } = (await run({}, failing)) ?? {};
  expect([problem, discardedBefore]).toEqual(['not today', 1]);
});

test('a bucket with many inventories has no more turns than another', async () => {
  await make('second');
  for (const key of KEYS) await put('second', key);
  await configure('photos', ...['a', 'b', 'c'].map((id) => ({ ...INVENTORY, id })));
  await configure('second', INVENTORY);
  const written: (string | undefined)[] = [];
  const watched = wrapStore(store, async ({ method, ref }, work) => {
    if (method === 'write' && ref.name?.includes('/data/') === true) written.push(ref.name.split('/')[0]);
    return work();
  });
  await run({}, watched);
  expect(written.slice(0, 6)).toEqual(['photos', 'second', 'photos', 'second', 'photos', 'second']);
  expect(written).toHaveLength(16);
});

test('a run that is told to stop amid a page gives the inventory back: the next one goes on at once', async () => {
  const stop = new AbortController();
  const stopped = wrapStore(store, async ({ method, ref }, work) => {
    if (method === 'list' && ref.container === 'photos') stop.abort();
    return work();
  });
  expect(await run({ call: testCall(stop.signal) }, stopped)).toEqual({ bucket: 'photos', backend: 'test', id: 'all' });
  expect((await run())?.written?.rows).toBe(7);
});

describe('a data file that is gone before the manifest is written', () => {
  /** A process beside which data files of the report are removed, so often. */
  async function robbed(times: number): Promise<InventoryOutcome | undefined> {
    let left = times;
    const watched = wrapStore(store, async ({ method, ref }, work) => {
      const isLook = method === 'head' && ref.name?.includes('/data/') === true;
      if (isLook && left > 0) {
        left -= 1;
        await store.remove({ container: 'reports', name: ref.name ?? '' }, undefined, testCall());
      }
      return work();
    });
    return run({}, watched);
  }

  test('makes the report begin anew', async () => {
    const { written } = (await robbed(1)) ?? {};
    expect(await keysOf(written?.manifest)).toEqual(KEYS);
  });

  test('again and again is named, and nothing says that the report is there', async () => {
    expect((await robbed(100))?.problem).toMatch(/data files of the report are removed/);
    expect((await stored()).filter((name) => !name.includes('/data/'))).toEqual([]);
    expect(await keysOf((await run())?.written?.manifest)).toEqual(KEYS);
  });
});

test('a key that is not there is found before the bucket is listed', async () => {
  await configure('photos', to({ encryption: { kind: 'kms', keyId: 'none' } }));
  let lists = 0;
  const watched = wrapStore(store, async ({ method, ref }, work) => {
    if (method === 'list' && ref.container === 'photos') lists += 1;
    return work();
  });
  expect((await run({}, watched))?.problem).toMatch(/Key 'none'/);
  expect(lists).toBe(0);
});

test("another account's bucket takes reports if its policy says so", async () => {
  await make('theirs', OTHER_CANONICAL_ID);
  await configure('photos', to({ bucketArn: 'arn:aws:s3:::theirs', accountId: '555555555555' }));
  expect((await run())?.problem).toMatch(/policy/);
  const policy = JSON.stringify(LETS_IN).replace('reports', 'theirs');
  await world.manifest.buckets.amend(await find('theirs'), (all) => ({ ...all, policy }), testCall());
  // At once: the run that was refused holds nothing any more.
  time.advance(1000);
  expect((await run())?.written).toBeDefined();
});

test('a configuration that is changed amid a report begins a new one', async () => {
  const died = await dyingAt(25);
  expect(died).toBe(true);
  await configure('photos', { ...INVENTORY, fields: ['ETag'] });
  time.advance(3 * MINUTE);
  const { written } = (await run()) ?? {};
  const { schema, rows } = await readReport(written?.manifest ?? '', read);
  expect([schema, rows.length]).toEqual(['Bucket, Key, ETag', 7]);
});

describe('processes that die, and processes at once', () => {
  test('wherever a process dies: no manifest without its data, and the next one completes the report', async () => {
    for (let n = 1; ; n++) {
      time.advance(DAY);
      const day = new Date(time.now()).toISOString().slice(0, 10);
      const died = await dyingAt(n);
      const left = (await stored()).filter((name) => name.includes(`/${day}T`));
      const hasChecksum = left.some((name) => name.endsWith('manifest.checksum'));
      if (hasChecksum) {
        expect(await keysOf(left.find((name) => name.endsWith('json'))), `call ${String(n)}`).toEqual(KEYS);
      }
      time.advance(3 * MINUTE);
      const outcome = await run();
      const manifests = (await stored()).filter((name) => name.includes(`/${day}T`) && name.endsWith('json'));
      expect(manifests.length, `call ${String(n)}: ${JSON.stringify(outcome)}`).toBe(1);
      expect(await keysOf(manifests[0]), `call ${String(n)}`).toEqual(KEYS);
      if (!died) break;
      expect(n).toBeLessThan(500);
    }
  });

  test('two at once write one report', async () => {
    const outcomes = await Promise.all([run(), run(), run()]);
    expect(outcomes.filter((outcome) => outcome?.written !== undefined).length).toBe(1);
    expect(outcomes.filter((outcome) => outcome?.problem !== undefined)).toEqual([]);
    const data = (await stored()).filter((name) => name.includes('/data/'));
    const manifest = outcomes.find((outcome) => outcome?.written)?.written;
    expect([await keysOf(manifest?.manifest), data.length]).toEqual([KEYS, manifest?.files]);
  });

  test('one that stood still until another had taken over leaves the report whole', async () => {
    // It stands still behind its last data file, until the other has finished.
    let other: InventoryOutcome | undefined;
    const slow = wrapStore(store, async ({ method, ref }, work) => {
      if (method === 'write' && ref.name?.includes('symlink') === true && other === undefined) {
        time.advance(3 * MINUTE);
        other = await run();
      }
      return work();
    });
    await run({}, slow);
    expect(other?.written).toBeDefined();
    expect(await keysOf(other?.written?.manifest)).toEqual(KEYS);
  });
});
