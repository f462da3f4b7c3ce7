import { afterEach, describe, expect, it, vi } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { withCallLog } from '../../../../adapters/doubles/call-log.ts';
import { readHead } from '../../../../src/manifest/heads/object-read.ts';
import { SWEEP_DEFAULTS } from '../../../../src/manifest/sweep/sweep-run.ts';
import { headPlace } from '../../../../src/manifest/records/names.ts';
import { versionRef } from '../../../../src/manifest/records/version-names.ts';
import { newToken } from '../../../../src/manifest/records/version-token.ts';
import { versionOfUpload } from '../../../../src/manifest/records/upload-id.ts';
import { ABSENT } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { MIN_PART, OWNER, codeOf } from '../upload-fixture.ts';
import { SweepFixture, findings, problemsOf } from './sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const PARTS = ['p'.repeat(MIN_PART), 'end'] as const;

describe('what is open stays', () => {
  it('an upload, with its parts, for as long as nobody asks for its end', async () => {
    const world = await SweepFixture.open();
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    world.advance(24 * 400);
    expect(findings(await world.sweep())).toEqual({});
    await world.gateway.complete(target, parts);
    expect(await world.text()).toBe(PARTS.join(''));
  });

  it('a Complete that crashed before it published: it can be repeated, or aborted', async () => {
    const world = await SweepFixture.open();
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    world.gateway.plan = ({ method, ref }) => (method === 'write' && ref.name === 'k' ? { kind: 'fail' } : undefined);
    expect(await codeOf(world.gateway.complete(target, parts))).toBe('unavailable');
    world.gateway.plan = () => undefined;
    world.advance(24 * 400);
    expect(findings(await world.sweep())).toEqual({});
    await world.gateway.complete(target, parts);
    expect(await world.text()).toBe(PARTS.join(''));
  });

  it('until it is older than what was asked for', async () => {
    const world = await SweepFixture.open();
    await world.gateway.started('old', ...PARTS);
    world.advance(24 * 8);
    const { target: young } = await world.gateway.started('young', ...PARTS);
    world.advance(24 * 2);
    const report = await world.sweep({ uploadsOlderThanMs: 7 * 24 * 3_600_000 });
    expect([findings(report), await world.gateway.openUploads()]).toEqual([{ aborted: 1 }, [young.uploadId]]);
    expect(await world.names('p/')).toHaveLength(2);
  });
});

describe('multipart uploads', () => {
  it('are answered from their tombstones for a day, and no longer', async () => {
    const world = await SweepFixture.open();
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    const { etag } = await world.gateway.complete(target, parts);
    await world.gateway.idle();
    world.advance(23);
    expect(findings(await world.sweep())).toEqual({});
    expect((await world.gateway.complete(target, parts)).etag).toBe(etag);
    world.advance(2);
    expect(findings(await world.sweep())).toEqual({ tombstones: 1 });
    expect(await codeOf(world.gateway.complete(target, parts))).toBe('NoSuchUpload');
    expect([await world.text(), await world.leftovers()]).toEqual([PARTS.join(''), []]);
  });

  it('keep their tombstones as long as their records could not be removed', async () => {
    const world = await SweepFixture.open();
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    world.gateway.plan = ({ method, ref }) =>
      method === 'remove' && ref.name?.startsWith('u/') === true ? { kind: 'fail' } : undefined;
    await world.gateway.complete(target, parts);
    await world.gateway.idle();
    world.gateway.plan = () => undefined;
    world.advance(25);
    const broken = withFaults(world.gateway.memory, ({ method, ref }) =>
      method === 'remove' && ref.name?.startsWith('u/') === true ? { kind: 'fail' } : undefined,
    );
    expect(problemsOf(await world.sweep({}, { store: broken }))).toHaveLength(1);
    expect(await world.names('c/')).toHaveLength(1);
    expect(findings(await world.sweep())).toMatchObject({ uploads: 1, tombstones: 1 });
    expect(await world.leftovers()).toEqual([]);
  });

  it('that were published and not settled are settled after some minutes', async () => {
    const world = await SweepFixture.open({ settling: false });
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    await world.gateway.complete(target, parts);
    await world.gateway.idle();
    expect(findings(await world.sweep())).toEqual({});
    world.advance(1);
    expect(findings(await world.sweep())).toEqual({ unsettled: 1 });
    expect((await readHead({ bucket: world.bucket, key: 'k' }, testCall()))?.record?.kind).toBe('inline');
    expect([await world.text(), await world.names('v/')]).toEqual([PARTS.join(''), []]);
  });

  it('leave no part records when nothing else is left of them', async () => {
    const world = await SweepFixture.open();
    const { target } = await world.gateway.started('k', ...PARTS);
    const { target: open } = await world.gateway.started('k', ...PARTS);
    const record = (await world.names('u/')).find((name) => name.endsWith(target.uploadId)) ?? '';
    await world.gateway.memory.remove({ container: 'system', name: record }, undefined, testCall());
    expect(findings(await world.sweep())).toEqual({});
    world.advance(25);
    expect(findings(await world.sweep())).toEqual({ parts: 2 });
    expect((await world.names('p/')).every((name) => name.includes(open.uploadId))).toBe(true);
  });

  it('leave no stump that an adapter made to free their parts', async () => {
    const world = await SweepFixture.open();
    const { target } = await world.gateway.started('k', ...PARTS);
    await world.gateway.memory.write(
      versionRef({ bucket: world.bucket, key: 'k' }, versionOfUpload(target.uploadId)),
      new Uint8Array(0),
      { metadata: {} },
      testCall(),
    );
    world.advance(25);
    expect(findings(await world.sweep())).toEqual({ staging: 1 });
    expect(await world.gateway.openUploads()).toEqual([target.uploadId]);
  });
});

describe('versions', () => {
  it('stay: current, noncurrent and null ones, markers, those below the head, for ever', async () => {
    const world = await SweepFixture.open();
    await world.put('native');
    await world.version('enabled');
    await world.put('one');
    await world.remove();
    await world.put('two');
    await world.remove();
    const before = await world.view();
    for (let turn = 0; turn < 3; turn++) {
      world.advance(24 * 40);
      expect(findings(await world.sweep({ keepLostMs: 0 }))).toEqual({});
    }
    expect(await world.view()).toEqual(before);
    expect(Object.keys(before)).toHaveLength(6);
  });

  it('are found among many keys, some of them escaped or too long for a name, a page at a time', async () => {
    const world = await SweepFixture.open({ capabilities: { maxListPage: 7 } });
    await world.version('enabled');
    const keys = Array.from({ length: 40 }, (_, n) => `folder/${n}`).concat(
      'escaped/./name',
      'ende.',
      `long/${'x'.repeat(1019)}`,
      'a\u{1f600}',
      '\ufffd',
    );
    const ones = new Map<string, string>();
    for (const key of keys) {
      ones.set(key, await world.put('one', key));
      await world.put('two', key);
    }
    for (const key of keys) {
      const ref = versionRef({ bucket: world.bucket, key }, newToken(Date.now() * 1000));
      const trueKey = key.length > 1000 ? { key } : {};
      await world.gateway.memory.write(
        ref,
        Buffer.from('x'),
        { metadata: { s3gw: JSON.stringify({ v: 1, s: 1, ...trueKey }) } },
        testCall(),
      );
    }
    world.advance(25);
    expect(findings(await world.sweep())).toEqual({ versions: keys.length });
    for (const key of keys) {
      expect([await world.text(undefined, key), await world.text(ones.get(key), key)], key).toEqual(['two', 'one']);
    }
  });

  it('whose head a cloud tool has overwritten are named, kept for a week, and brought back when asked for', async () => {
    const world = await SweepFixture.open();
    await world.version('enabled');
    const [one, two] = [await world.put('one'), await world.put('two')];
    await world.gateway.memory.write(
      headPlace({ bucket: world.bucket, key: 'k' }).ref,
      Buffer.from('tool'),
      { metadata: {} },
      testCall(),
    );
    world.advance(25);
    const report = await world.sweep();
    expect(findings(report)).toEqual({ lost: 1 });
    expect(report.backends[0]?.buckets[0]?.lost).toMatchObject([{ key: 'k', versionId: two, size: 3 }]);
    expect(await world.text(two)).toBe('NoSuchVersion');
    world.advance(24 * 6);
    expect(findings(await world.sweep())).toEqual({ lost: 1 });
    expect(findings(await world.sweep({ recoverLost: true }))).toEqual({ recovered: 1 });
    expect([await world.text(), await world.text(one), await world.text(two)]).toEqual(['tool', 'one', 'two']);
    world.advance(24 * 30);
    expect(findings(await world.sweep())).toEqual({});
  });

  it('and are removed after that', async () => {
    const world = await SweepFixture.open();
    await world.version('enabled');
    const one = await world.put('one');
    await world.gateway.memory.remove(headPlace({ bucket: world.bucket, key: 'k' }).ref, undefined, testCall());
    world.advance(25);
    expect(findings(await world.sweep())).toEqual({ lost: 1 });
    world.advance(24 * 8);
    expect(findings(await world.sweep())).toEqual({ versions: 1 });
    expect([await world.text(one), await world.names('v/')]).toEqual(['NoSuchVersion', []]);
  });

  it('stay when their container is gone: it may come back', async () => {
    const world = await SweepFixture.open();
    await world.version('enabled');
    await world.put('one');
    await world.gateway.memory.removeContainer(world.bucket.home.container, testCall());
    world.advance(24 * 100);
    for (let turn = 0; turn < 2; turn++) {
      expect(problemsOf(await world.sweep({ keepLostMs: 0 }))).toHaveLength(1);
      world.advance(25);
    }
    expect(await world.names('v/')).toHaveLength(1);
  });

  it('of a bucket that was deleted go, and only those', async () => {
    const world = await SweepFixture.open();
    const other = await world.gateway.addBucket('other');
    await world.put('stays');
    await world.gateway.started('k', ...PARTS);
    const { gateway } = world;
    gateway.bucket = other;
    await gateway.started('k', ...PARTS);
    await gateway.memory.write(
      versionRef({ bucket: other, key: 'k' }, newToken(1)),
      Buffer.from('x'),
      { metadata: { s3gw: '{"v":1,"s":1,"st":1}' } },
      testCall(),
    );
    await gateway.buckets.delete(other, () => Promise.resolve(true), testCall());
    world.advance(25);
    expect(findings(await world.sweep())).toMatchObject({ deletedBuckets: 2 });
    expect((await world.names('u/', 'v/', 'p/')).filter((name) => name.includes(other.uid))).toEqual([]);
    expect((await world.names('u/', 'p/')).length).toBe(3);
  });
});

describe('spilled records', () => {
  const tags = Array.from({ length: 10 }, (_, n) => ({ key: `key-${n}-${'k'.repeat(100)}`, value: 'v'.repeat(250) }));
  const userMetadata = { 'Odd-Name': 'x'.repeat(1900) };
  const big = { headers: {}, userMetadata, tags, websiteRedirect: `/${'w'.repeat(4000)}` };

  async function putBig(world: SweepFixture, key: string, change = 'a'): Promise<void> {
    const attributes = { ...big, websiteRedirect: big.websiteRedirect + change };
    await world.gateway.objects.put(
      { bucket: world.bucket, key },
      { body: Buffer.from(key), attributes, ownerId: OWNER, conditions: {} },
      testCall(),
    );
  }

  it('go when no object and no version refers to them any more', async () => {
    const world = await SweepFixture.open();
    await putBig(world, 'k');
    await putBig(world, 'other');
    await putBig(world, 'k', 'b');
    expect(await world.names('o/')).toHaveLength(3);
    expect(findings(await world.sweep())).toEqual({});
    world.advance(25);
    expect(findings(await world.sweep())).toEqual({ overflow: 1 });
    await world.put('small', 'other');
    expect(findings(await world.sweep())).toEqual({ overflow: 1 });
    expect((await world.gateway.objects.find({ bucket: world.bucket, key: 'k' }, testCall())).tags).toEqual(tags);
    await world.version('enabled');
    await world.put('two');
    world.advance(25);
    expect(findings(await world.sweep())).toEqual({});
    expect(
      (await world.gateway.objects.find({ bucket: world.bucket, key: 'k', versionId: 'null' }, testCall())).tags,
    ).toEqual(tags);
  });

  it('stay when somebody refers to them meanwhile, at any moment', async () => {
    for (let n = 1, reached = true; reached; n++) {
      const world = await SweepFixture.open();
      await putBig(world, 'k');
      await world.put('small');
      world.advance(25);
      let count = 0;
      const store = withFaults(world.gateway.memory, () =>
        ++count === n ? { kind: 'interleave', before: () => putBig(world, 'z') } : undefined,
      );
      await world.sweep({}, { store });
      reached = count >= n;
      if (reached) {
        expect((await world.gateway.objects.find({ bucket: world.bucket, key: 'z' }, testCall())).tags).toEqual(tags);
      }
    }
  });

  it('stay when anything cannot be read', async () => {
    const world = await SweepFixture.open();
    await putBig(world, 'k');
    await world.put('small');
    await world.gateway.memory.write(
      { container: 'bucket', name: 'later' },
      Buffer.from(''),
      { metadata: { s3gw: '{"v":2,"s":1}' } },
      testCall(),
    );
    world.advance(25);
    expect(problemsOf(await world.sweep())).toHaveLength(1);
    expect(await world.names('o/')).toHaveLength(1);
  });
});

describe('a dry run', () => {
  it('finds everything and changes nothing', async () => {
    const world = await SweepFixture.open({ settling: false, discarding: false });
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    await world.gateway.complete(target, parts);
    await world.put('over it');
    const { target: other, parts: others } = await world.gateway.started('m', ...PARTS);
    await world.gateway.complete(other, others);
    await world.gateway.memory.write(
      versionRef({ bucket: world.bucket, key: 'k' }, newToken(1)),
      Buffer.from('xy'),
      { metadata: {}, condition: ABSENT },
      testCall(),
    );
    world.advance(25);
    const log = withCallLog(world.gateway.memory);
    const report = await world.sweep({ dryRun: true }, { store: log });
    expect(new Set(log.calls.map(({ method }) => method))).toEqual(
      new Set(['list', 'listContainers', 'head', 'headContainer', 'read']),
    );
    expect(findings(report)).toEqual({ versions: 1, staging: 1, unsettled: 1, tombstones: 2 });
    expect(report.dryRun).toBe(true);
    expect(report.backends[0]?.buckets[0]?.counts.versions).toEqual({
      found: 1,
      done: 0,
      left: 0,
      failed: 0,
      bytes: 2,
    });
    expect(findings(await world.sweep())).toEqual(findings(report));
  });
});

describe('a sweep that is told to stop', () => {
  it('says so, and the next one does the rest, wherever it stopped', async () => {
    for (let n = 1, stopped = true; stopped; n++) {
      const world = await SweepFixture.open({ discarding: false, settling: false });
      for (const key of ['a', 'b', 'c']) {
        const { target, parts } = await world.gateway.started(key, ...PARTS);
        await world.gateway.complete(target, parts);
        await world.put('over it', key);
      }
      await world.gateway.idle();
      world.advance(25);
      const stop = new AbortController();
      let count = 0;
      const store = withFaults(world.gateway.memory, () => {
        if (++count === n) stop.abort();
        return undefined;
      });
      stopped = !(await world.sweep({ concurrency: 2 }, { store, call: testCall(stop.signal) })).complete;
      expect((await world.sweep()).complete).toBe(true);
      expect(await world.leftovers()).toEqual([]);
    }
  });
});

describe('the rules that it must keep', () => {
  it('nothing younger than a day goes by default', () => {
    expect(SWEEP_DEFAULTS.graceMs).toBe(86_400_000);
    expect(SWEEP_DEFAULTS.tombstoneMs).toBeGreaterThanOrEqual(86_400_000);
  });

  it('a copy of the null version that a PUT is about to name stays', async () => {
    const world = await SweepFixture.open();
    await world.put('native');
    await world.version('enabled');
    const death =
      (count: number) =>
      ({ method, ref }: { method: string; ref: { name?: string } }) =>
        method === 'write' && ref.name === 'k' && count > 0 ? ({ kind: 'fail' } as const) : undefined;
    world.gateway.plan = death(1);
    expect(await codeOf(world.put('crashed'))).toBe('unavailable');
    await world.gateway.idle();
    world.advance(25);
    world.gateway.plan = ({ method, ref }) =>
      method === 'write' && ref.name === 'k'
        ? { kind: 'interleave', before: () => world.sweep({ keepLostMs: 0 }) }
        : undefined;
    await world.put('two');
    world.gateway.plan = () => undefined;
    expect([await world.text(), await world.text('null')]).toEqual(['two', 'native']);
  });
});
