import { afterEach, describe, expect, test, vi } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { NO_USAGE, totalOf, type UsageCount } from '../../../../src/manifest/records/usage-record.ts';
import { UsagePass } from '../../../../src/manifest/usage/usage-pass.ts';
import { ABSENT } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { classUsage, UsageFixture } from './usage-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('what is counted', () => {
  test('current and noncurrent versions by class, delete markers, uploads and their parts', async () => {
    const usage = await UsageFixture.open();
    const { world } = usage;
    await usage.put('never/a', '12345');
    await world.version('enabled');
    await usage.put('a', 'one');
    await usage.put('a', 'three');
    await usage.put('b', '12', 'STANDARD_IA');
    await usage.put('c', '1234567', 'DEEP_ARCHIVE');
    await world.remove(undefined, 'c');
    await world.remove(undefined, 'nothing there');
    await world.gateway.started('c', 'part', 'another');
    await world.gateway.started('d');
    const report = await usage.count();
    expect(report.problems).toEqual([]);
    expect(await usage.counted()).toEqual({
      classes: [
        classUsage('STANDARD', [2, 10], [1, 3]),
        classUsage('DEEP_ARCHIVE', [0, 0], [1, 7]),
        classUsage('STANDARD_IA', [1, 2]),
      ],
      markers: 2,
      uploads: 2,
      parts: 2,
      partBytes: 11,
    });
    expect(report.buckets[0]?.counted).toEqual(await usage.counted());
    expect(totalOf((await usage.counted()) ?? NO_USAGE)).toEqual({ objects: 5, bytes: 33 });
  });

  test('objects that tools of the cloud have written, in containers of theirs, too', async () => {
    const usage = await UsageFixture.open();
    const { memory } = usage.world.gateway;
    const { container } = usage.world.bucket.home;
    await memory.write(
      { container, name: 'tool' },
      Buffer.from('1234'),
      { metadata: {}, condition: ABSENT },
      testCall(),
    );
    await memory.createContainer('native', {}, testCall());
    await memory.write({ container: 'native', name: 'x' }, Buffer.from('12'), { metadata: {} }, testCall());
    await usage.count();
    const known = await usage.known();
    expect(known.map(({ bucket, counted }) => [bucket, totalOf(counted ?? NO_USAGE).bytes])).toEqual(
      expect.arrayContaining([
        ['bucket', 4],
        ['native', 2],
      ]),
    );
  });

  test('a bucket with nothing in it counts nothing', async () => {
    const usage = await UsageFixture.open();
    await usage.count();
    expect(await usage.counted()).toEqual(NO_USAGE);
  });
});

/** Keys of three pages, one of them with versions for more than one. */
async function largeBucket(): Promise<UsageFixture> {
  const usage = await UsageFixture.open();
  for (let at = 0; at < 1200; at += 1) await usage.put(`never/${String(at).padStart(4, '0')}`, 'x');
  await usage.world.version('enabled');
  for (let at = 0; at < 1100; at += 1) await usage.put('many', 'yy');
  for (let at = 0; at < 130; at += 1) await usage.world.gateway.started(`up/${String(at)}`, 'part');
  return usage;
}

const LARGE = {
  classes: [classUsage('STANDARD', [1201, 1202], [1099, 2198])],
  markers: 0,
  uploads: 130,
  parts: 130,
  partBytes: 520,
};

test('a count that breaks off at any call is gone on with by another run, and counts nothing twice', async () => {
  const usage = await largeBucket();
  let calls = 0;
  await usage.count({ store: counting(usage, () => (calls += 1)) });
  expect(await usage.counted()).toEqual(LARGE);
  for (let end = 3; end < calls; end += Math.ceil(calls / 6)) {
    usage.world.advance(3);
    const ended = new AbortController();
    let left = end;
    const store = counting(usage, () => {
      left -= 1;
      if (left === 0) ended.abort();
    });
    const begunAt = Date.now();
    await usage.count({ store, call: testCall(ended.signal) });
    usage.world.advance(1);
    const second = await usage.count({ everyMs: 7_200_000 });
    expect(second.problems).toEqual([]);
    expect(await usage.counted()).toEqual(LARGE);
    expect((await usage.known())[0]?.counted?.startedAt).toBe(begunAt);
  }
});

test('an upload that is completed between the pages of a pass is counted', async () => {
  const usage = await UsageFixture.open();
  const { bucket, gateway } = usage.world;
  const { target, parts } = await gateway.started('k', 'part');
  const manifest = { buckets: gateway.buckets, listing: createListing(), uploads: gateway.uploads };
  const counts: UsageCount[] = [];
  const pass = new UsagePass(bucket, { manifest, onCounted: (count) => counts.push(count) });
  let progress = await pass.page(pass.beginning(Date.now()), Date.now(), testCall());
  await gateway.complete(target, parts);
  while (progress.phase !== 'over') progress = await pass.page(progress, Date.now(), testCall());
  expect(counts.map(({ classes }) => classes)).toEqual([[classUsage('STANDARD', [1, 4])]]);
});

test('a pass that was left more than a day ago begins anew; one that lasts longer by itself goes on', async () => {
  const usage = await UsageFixture.open();
  const { bucket, gateway } = usage.world;
  await usage.put('k', 'x');
  const manifest = { buckets: gateway.buckets, listing: createListing(), uploads: gateway.uploads };
  const run = (): UsagePass => new UsagePass(bucket, { manifest, onCounted: () => undefined });
  const begun = Date.now();
  const first = run();
  const left = await first.page(first.beginning(begun), begun, testCall());
  const later = begun + 86_400_001;
  expect(await run().page(left, later - 1, testCall())).toMatchObject({ startedAt: begun, phase: 'over' });
  expect(await first.page(left, later, testCall())).toMatchObject({ startedAt: begun, phase: 'over' });
  const anew = await run().page(left, later, testCall());
  expect(anew).toMatchObject({ startedAt: later, phase: 'versions', after: '' });
});

function counting(usage: UsageFixture, onCall: () => void): ReturnType<typeof withFaults> {
  return withFaults(usage.world.gateway.memory, () => {
    onCall();
    return undefined;
  });
}

describe('what is kept', () => {
  test('a bucket that was counted a short while ago is left alone', async () => {
    const usage = await UsageFixture.open();
    await usage.count();
    await usage.put('a', 'x');
    usage.world.advance(1);
    await usage.count({ everyMs: 7_200_000 });
    expect(await usage.counted()).toEqual(NO_USAGE);
    await usage.count({ everyMs: 3_000_000 });
    expect(await usage.counted()).toMatchObject({ classes: [classUsage('STANDARD', [1, 1])] });
  });

  test('what is known of a deleted bucket goes with the next run, unless that is about one bucket', async () => {
    const usage = await UsageFixture.open();
    const { gateway } = usage.world;
    const other = await gateway.addBucket('other');
    await usage.count();
    await gateway.buckets.delete(other, async () => true, testCall());
    await usage.count({ bucket: 'bucket' });
    expect((await usage.known()).map(({ bucket }) => bucket).sort()).toEqual(['bucket', 'other']);
    await usage.count();
    expect((await usage.known()).map(({ bucket }) => bucket)).toEqual(['bucket']);
  });

  test('a record that is none of ours is written over, and progress that is none is not believed', async () => {
    const usage = await UsageFixture.open();
    await usage.put('a', 'x');
    const { bucket, gateway } = usage.world;
    const damage = async (name: string, body: string, text: string): Promise<unknown> =>
      gateway.memory.write({ container: 'system', name }, Buffer.from(body), { metadata: { s3gw: text } }, testCall());
    await damage(`a/${bucket.ownerId}/${bucket.uid}/usage`, '', '{"v":1,"bucket":"bucket","classes":[{}]}');
    await damage(`l/${bucket.uid}/usage`, '{"holder":"","progress":{"startedAt":0,"phase":"parts","after":"z"}}', '{}');
    expect(await usage.counted()).toBeUndefined();
    await usage.count();
    expect(await usage.counted()).toMatchObject({ classes: [classUsage('STANDARD', [1, 1])] });
  });
});
