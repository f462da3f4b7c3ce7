import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepPassReport, readPassReports } from '../../../../src/manifest/lifecycle/pass-reports.ts';
import { lifecycleReportName, NO_SUMS } from '../../../../src/manifest/records/lifecycle-record.ts';
import { wrapStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { LifecycleFixture, rule } from './lifecycle-fixture.ts';

const DAY_MS = 86_400_000;
const EXPIRES = rule('r', { expiration: { days: 1 } });

let world: LifecycleFixture;
beforeEach(async () => {
  world = await LifecycleFixture.open();
  await world.rules(EXPIRES);
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is kept of passes over all buckets, without revisions. */
async function reports(): Promise<object[]> {
  const place = { store: world.world.gateway.memory, system: 'system' };
  return (await readPassReports(place, testCall())).map(({ revision: _revision, uid: _uid, ...report }) => report);
}

describe('what the last pass has come to', () => {
  test('is kept: what was due and done, what is left, and since when the oldest of it is due', async () => {
    await world.put('gone', 'x');
    await world.put('locked', 'x');
    await world.lock('locked', Date.now() + 90 * DAY_MS);
    world.days(3);
    const due = Math.ceil((Date.now() - 3 * DAY_MS) / DAY_MS) * DAY_MS + DAY_MS;
    await world.put('young', 'x');
    const startedAt = Date.now();
    await world.run();
    const left = { due: 2, done: 1, locked: 1, changed: 0, unmovable: 0, failed: 0, oldestDue: due };
    const pass = { bucket: 'bucket', ownerId: OWNER, startedAt, finishedAt: startedAt };
    expect(await reports()).toEqual([{ ...pass, ...left }]);
    world.days(100);
    await world.run();
    expect(await reports()).toMatchObject([{ startedAt: Date.now(), due: 2, done: 2, locked: 0 }]);
    expect((await reports())[0]).not.toHaveProperty('oldestDue');
  });

  test('is that of all runs that have made it', async () => {
    // Each prefix has a page of its own.
    const rules = ['a/', 'b/'].map((prefix) => ({ ...EXPIRES, id: prefix, filter: { prefix } }));
    await world.rules(...rules);
    for (const key of ['a/1', 'a/2', 'b/1']) await world.put(key, 'x');
    world.days(3);
    const stop = new AbortController();
    let hasRemoved = false;
    const stopped = wrapStore(world.world.gateway.memory, async ({ method, ref }, work) => {
      if (ref.container !== world.world.bucket.home.container) return work();
      if (method === 'list' && hasRemoved) stop.abort();
      hasRemoved ||= method.startsWith('remove');
      return work();
    });
    const first = await world.run({}, { store: stopped, call: testCall(stop.signal) });
    expect([first.complete, first.buckets[0]?.rules['a/']?.done, await reports()]).toEqual([false, 2, []]);
    const second = await world.run();
    expect(second.buckets[0]?.rules).toMatchObject({ 'b/': { done: 1 } });
    expect(second.buckets[0]?.rules).not.toHaveProperty('a/');
    expect(await reports()).toMatchObject([{ due: 3, done: 3 }]);
  });

  test('is not kept of a dry run, and not taken back by an earlier pass', async () => {
    await world.run({ dryRun: true });
    expect(await reports()).toEqual([]);
    await world.run();
    const [kept] = await reports();
    const earlier = { bucket: 'bucket', ownerId: OWNER, startedAt: Date.now() - 1000, finishedAt: Date.now() + 1000 };
    await keepPassReport(world.world.bucket, { ...earlier, ...NO_SUMS, due: 1, done: 1 }, testCall());
    expect(await reports()).toEqual([kept]);
  });

  test('of a clock that was ahead does not stay', async () => {
    await world.run({}, { serviceTime: () => Date.now() + 30 * DAY_MS });
    world.days(1);
    await world.run();
    expect(await reports()).toMatchObject([{ startedAt: Date.now() }]);
  });

  test('is forgotten when the bucket has no rules any more, and when it is gone', async () => {
    await world.run();
    await world.rules();
    await world.run();
    expect(await reports()).toEqual([]);
    await world.rules(EXPIRES);
    await world.run();
    expect(await reports()).toHaveLength(1);
    const { gateway } = world.world;
    await gateway.buckets.delete(gateway.bucket, async () => true, testCall());
    await world.run();
    expect(await reports()).toEqual([]);
  });

  test('that is none of ours is not shown, and written over', async () => {
    const { memory, bucket } = world.world.gateway;
    const ref = { container: 'system', name: lifecycleReportName(bucket) };
    for (const text of ['x', 'null', '{"v":1}', '{"v":2,"due":1}']) {
      await memory.write(ref, new Uint8Array(0), { metadata: { s3gw: text } }, testCall());
      expect(await reports(), text).toEqual([]);
    }
    await world.run();
    expect(await reports()).toHaveLength(1);
  });
});
