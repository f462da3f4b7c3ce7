import { afterEach, describe, expect, it, vi } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { exportPlain } from '../../../../src/manifest/sweep/export-plain.ts';
import type { ExportReport, ExportSettings } from '../../../../src/manifest/sweep/bucket-export.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import { testCall } from '../../../support/test-call.ts';
import { MIN_PART } from '../upload-fixture.ts';
import { SweepFixture, findings } from './sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const PARTS = ['p'.repeat(MIN_PART), 'end'] as const;

function leave(
  world: SweepFixture,
  settings: Partial<ExportSettings> = {},
  store: BlobStore = world.gateway.memory,
): Promise<ExportReport> {
  const realm = world.realm(store);
  return exportPlain(
    {
      realm,
      backends: realm.backends,
      settings: { prefix: '', dropMarkers: false, dryRun: false, concurrency: 2, ...settings },
    },
    testCall(),
  );
}

/** What a tool of the cloud sees: names and bytes. */
async function native(world: SweepFixture): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const name of await world.heads()) {
    const { body } = await world.gateway.memory.read({ container: world.bucket.home.container, name }, {}, testCall());
    seen[name] = (await readAll(body)).toString();
  }
  return seen;
}

function countsOf(report: ExportReport): Record<string, number> {
  return Object.fromEntries(
    Object.entries(report.buckets[0]?.counts ?? {}).map(([finding, { found }]) => [finding, found]),
  );
}

describe('after an export', () => {
  it('the tools of the cloud see the bytes of every current object, and S3 clients what they saw before', async () => {
    const world = await SweepFixture.open({ settling: false });
    await world.put('native', 'n');
    await world.version('enabled');
    await world.put('one', 'a');
    await world.put('two', 'a');
    await world.put('one', 'folder/./b');
    await world.put('', 'empty');
    await world.put('one', 'gone');
    await world.remove(undefined, 'gone');
    const { target, parts } = await world.gateway.started('m', ...PARTS);
    await world.gateway.complete(target, parts);
    await world.version('suspended');
    const { target: assembled, parts: assembledParts } = await world.gateway.started('null', ...PARTS);
    await world.gateway.complete(assembled, assembledParts);
    const keys = ['n', 'a', 'folder/./b', 'empty', 'gone', 'm', 'null'];
    const before = await Promise.all(keys.map((key) => world.view(key)));

    expect(countsOf(await leave(world))).toEqual({ copied: 3, settled: 1 });
    expect(Object.values(await native(world)).sort()).toEqual(
      ['native', 'two', 'one', '', '', PARTS.join(''), PARTS.join('')].sort(),
    );
    expect(await Promise.all(keys.map((key) => world.view(key)))).toEqual(before);
    expect(countsOf(await leave(world))).toEqual({});
    world.advance(100);
    await world.sweep();
    expect(await Promise.all(keys.map((key) => world.view(key)))).toEqual(before);
  });

  it('the gateway goes on: a version is displaced, deleted and promoted as ever', async () => {
    const world = await SweepFixture.open();
    await world.version('enabled');
    const one = await world.put('one');
    await leave(world);
    const two = await world.put('two');
    expect([await native(world), await world.text(one), await world.text()]).toEqual([{ k: '' }, 'one', 'two']);
    await leave(world);
    await world.remove(two);
    expect([await world.text(), await world.text(two), await native(world)]).toEqual([
      'one',
      'NoSuchVersion',
      { k: '' },
    ]);
    await leave(world);
    expect(await native(world)).toEqual({ k: 'one' });
    await world.remove();
    expect([await world.text(), await world.text(one)]).toEqual(['NoSuchKey', 'one']);
  });

  it('noncurrent versions lie where they were wanted, and those of another prefix do not', async () => {
    const world = await SweepFixture.open();
    await world.put('native', 'a/k');
    await world.version('enabled');
    const one = await world.put('one', 'a/k');
    await world.put('two', 'a/k');
    await world.put('one', 'b');
    await world.put('two', 'b');
    expect(countsOf(await leave(world, { prefix: 'a/', versionsUnder: 'old/' }))).toEqual({ copied: 1, versions: 2 });
    const seen = await native(world);
    expect(seen).toMatchObject({ 'a/k': 'two', [`old/a/k/${one}`]: 'one', b: '' });
    expect(Object.values(seen)).toContain('native');
    const again = await leave(world, { prefix: 'a/', versionsUnder: 'old/' });
    expect(again.buckets[0]?.counts.versions).toMatchObject({ done: 0, left: 2 });
  });

  it('the empty blobs of deleted keys go when asked for, and their versions stay', async () => {
    const world = await SweepFixture.open();
    await world.version('enabled');
    const one = await world.put('one');
    await world.remove();
    expect(countsOf(await leave(world, { dropMarkers: true }))).toEqual({ markers: 1 });
    expect(await world.heads()).toEqual([]);
    world.advance(24 * 30);
    expect(findings(await world.sweep({ keepLostMs: 0 }))).toEqual({ index: 1 });
    expect(await world.text(one)).toBe('one');
  });

  it('a marker stays where a null version is known through it alone, and what was entered below it is kept', async () => {
    const world = await SweepFixture.open();
    await world.put('null');
    await world.version('enabled');
    await world.remove();
    const { counts } = (await leave(world, { dropMarkers: true })).buckets[0] ?? {};
    expect(counts?.markers).toMatchObject({ found: 1, done: 0, left: 1 });
    world.advance(24 * 30);
    await world.sweep();
    expect([await world.text('null'), await world.text()]).toEqual(['null', 'NoSuchKey']);
  });
});

describe('an export', () => {
  it('changes nothing when it is dry', async () => {
    const world = await SweepFixture.open();
    await world.version('enabled');
    await world.put('one');
    expect(countsOf(await leave(world, { dryRun: true, versionsUnder: 'old/' }))).toEqual({ copied: 1 });
    expect(await native(world)).toEqual({ k: '' });
  });

  it('can break off at any call, and loses nothing to clients that write meanwhile', async () => {
    for (let n = 1, reached = true; reached; n++) {
      const world = await SweepFixture.open();
      await world.version('enabled');
      const one = await world.put('one');
      let count = 0;
      let two = '';
      const store = withFaults(world.gateway.memory, () => {
        if (++count !== n) return undefined;
        return { kind: 'interleave', before: async () => (two = await world.put('two')) };
      });
      await leave(world, {}, store);
      reached = count >= n;
      expect(await world.text(one)).toBe('one');
      if (reached) expect([await world.text(), await world.text(two)]).toEqual(['two', 'two']);
      const broken = withFaults(world.gateway.memory, () => ({ kind: 'fail' }));
      await leave(world, {}, broken).catch(() => undefined);
      await leave(world);
      expect(await native(world)).toEqual({ k: reached ? 'two' : 'one' });
    }
  });
});
