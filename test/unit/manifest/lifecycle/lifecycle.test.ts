import { afterEach, describe, expect, test, vi } from 'vitest';
import { LIFECYCLE_PASS, type Progress } from '../../../../src/manifest/lifecycle/bucket-pass.ts';
import { LEASE_MS, PassLease } from '../../../../src/manifest/passes/pass-lease.ts';
import { OWNER } from '../upload-fixture.ts';
import { testCall } from '../../../support/test-call.ts';
import { countOf, LifecycleFixture, problemsOf, rule } from './lifecycle-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 86_400_000;
const TAGS = [{ key: 'team', value: 'a' }];

describe('in a bucket that never had versions', () => {
  test('objects go by prefix, size, tags and date, and others stay', async () => {
    const world = await LifecycleFixture.open();
    await world.put('logs/old', 'x');
    await world.put('tagged/yes', 'x', { tags: TAGS });
    await world.put('tagged/no', 'x');
    await world.put('sized/small', 'x');
    await world.put('sized/large', 'xxxxxxxxxx');
    await world.put('dated/a', 'x');
    await world.put('other', 'x');
    world.days(3);
    await world.put('logs/new', 'x');
    await world.rules(
      rule('logs', { filter: { prefix: 'logs/' }, expiration: { days: 1 } }),
      rule('tags', { filter: { and: { prefix: 'tagged/', tags: TAGS } }, expiration: { days: 1 } }),
      rule('sizes', { filter: { and: { prefix: 'sized/', tags: [], sizeAbove: 1 } }, expiration: { days: 1 } }),
      rule('date', { filter: { prefix: 'dated/' }, expiration: { date: Math.floor(Date.now() / DAY_MS) * DAY_MS } }),
      rule('off', { isEnabled: false, expiration: { days: 1 } }),
    );
    const report = await world.run();
    expect(await world.list()).toEqual(['logs/new:x', 'other:x', 'sized/small:x', 'tagged/no:x']);
    expect(problemsOf(report)).toEqual([]);
    expect(countOf(report, 'logs')).toEqual({
      lookedAt: 2,
      due: 1,
      done: 1,
      locked: 0,
      changed: 0,
      unmovable: 0,
      failed: 0,
    });
    expect(countOf(report, 'tags')).toMatchObject({ lookedAt: 2, due: 1, done: 1 });
    expect(countOf(report, 'off')).toBeUndefined();
  });

  test('a dry run says what would go, warns, and changes nothing', async () => {
    const world = await LifecycleFixture.open();
    await world.put('a', 'x');
    await world.rules(rule('past', { expiration: { date: 0 } }), rule('later', { expiration: { days: 9 } }));
    const report = await world.run({ dryRun: true });
    expect(countOf(report, 'past')).toMatchObject({
      lookedAt: 1,
      due: 1,
      done: 0,
      oldestDue: '1970-01-01T00:00:00.000Z',
    });
    expect(report.buckets[0]?.warnings).toEqual([
      'rule past: its date 1970-01-01 has passed, so each pass removes everything that is new, too',
      'rule past: this removes 1 objects, versions or uploads',
    ]);
    expect(await world.list()).toEqual(['a:x']);
    expect(await world.world.names('l/')).toEqual([]);
  });

  test('what is due is due by the clock of the service', async () => {
    const world = await LifecycleFixture.open();
    await world.put('a', 'x');
    await world.rules(rule('r', { expiration: { days: 1 } }));
    const serviceTime = Date.now();
    world.days(30);
    await world.run({}, { serviceTime: () => serviceTime });
    expect(await world.list()).toEqual(['a:x']);
  });

  test('a machine whose clock is ahead removes nothing early, and one behind nothing late', async () => {
    const world = await LifecycleFixture.open();
    await world.put('a', 'x');
    await world.rules(rule('r', { expiration: { days: 1 } }));
    const serviceTime = Date.now() + 3 * DAY_MS;
    await world.run({}, { serviceTime: () => serviceTime });
    expect(await world.list()).toEqual([]);
  });
});

describe('in a bucket with versions', () => {
  test('an expired object gets a delete marker; it goes for good as a noncurrent version, then the marker', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    await world.put('a', 'one');
    await world.put('a', 'two');
    await world.rules(
      rule('r', {
        expiration: { days: 5 },
        noncurrentExpiration: { days: 2 },
      }),
      rule('markers', { expiration: { loneMarkers: true } }),
    );
    world.days(1);
    await world.run();
    expect(await world.list()).toEqual(['a:two', 'a:one*']);
    // "one" is as old as "two" is, not as it is itself.
    world.days(2);
    await world.run();
    expect(await world.list()).toEqual(['a:two']);
    world.days(3);
    await world.run();
    expect(await world.list()).toEqual(['a:-', 'a:two*']);
    await world.run();
    expect(await world.list()).toEqual(['a:-', 'a:two*']);
    world.days(3);
    await world.run();
    expect(await world.list()).toEqual(['a:-']);
    const last = await world.run();
    expect(await world.list()).toEqual([]);
    expect(countOf(last, 'markers')).toMatchObject({ due: 1, done: 1 });
  });

  test('the age of a noncurrent version is counted from its successor', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    await world.put('a', 'old');
    world.days(100);
    await world.put('a', 'new');
    await world.rules(rule('r', { noncurrentExpiration: { days: 3 } }));
    world.days(3);
    await world.run();
    expect(await world.list()).toEqual(['a:new', 'a:old*']);
    world.days(1);
    await world.run();
    expect(await world.list()).toEqual(['a:new']);
  });

  test('so many newer noncurrent versions are kept, delete markers not counted', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    for (const text of ['1', '2', '3', '4']) await world.put('a', text);
    await world.world.remove(undefined, 'a');
    await world.put('a', '5');
    await world.rules(rule('r', { noncurrentExpiration: { days: 1, newer: 2 } }));
    world.days(3);
    await world.run();
    expect(await world.list()).toEqual(['a:5', 'a:-*', 'a:4*', 'a:3*']);
  });

  test('a delete marker over versions stays; a lone one goes by its own age, and not by a rule with tags', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    await world.put('covered', 'x');
    await world.world.remove(undefined, 'covered');
    await world.world.remove(undefined, 'lone');
    await world.world.remove(undefined, 'tagged');
    await world.rules(
      rule('tags', { filter: { and: { prefix: 'tagged', tags: TAGS } }, expiration: { days: 1 } }),
      rule('r', { filter: { prefix: 'lone' }, expiration: { days: 3 } }),
      rule('m', { filter: { prefix: 'covered' }, expiration: { loneMarkers: true } }),
    );
    world.days(2);
    await world.run();
    expect(await world.list()).toEqual(['covered:-', 'covered:x*', 'lone:-', 'tagged:-']);
    world.days(2);
    await world.run();
    expect(await world.list()).toEqual(['covered:-', 'covered:x*', 'tagged:-']);
  });

  test('a delete marker is not removed as a lone one if a version has come beneath it', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    const { objects, bucket } = world.world.gateway;
    await world.put('a', 'x');
    const { versionId } = await objects.remove({ bucket, key: 'a' }, { conditions: {}, ownerId: OWNER }, testCall());
    const standing = { mtime: Math.floor(Date.now() / 1000) * 1000 };
    const removal = objects.remove(
      { bucket, key: 'a', versionId },
      { conditions: {}, ownerId: OWNER, standing },
      testCall(),
    );
    await expect(removal).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect(await world.list()).toEqual(['a:-', 'a:x*']);
  });

  test('suspended: a null marker takes the place of the null version', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    await world.put('a', 'kept');
    await world.world.version('suspended');
    await world.put('a', 'null');
    await world.rules(rule('r', { expiration: { days: 1 } }));
    world.days(3);
    await world.run();
    expect(await world.list()).toEqual(['a:-', 'a:kept*']);
  });

  test('a locked version stays until its lock is over, and a marker is made over it all the same', async () => {
    const world = await LifecycleFixture.open();
    await world.world.version('enabled');
    const { gateway } = world.world;
    const versionId = await world.put('a', 'x');
    const until = Date.now() + 20 * DAY_MS;
    await gateway.objects.amend(
      { bucket: gateway.bucket, key: 'a', versionId },
      () => ({ lock: { retention: { mode: 'GOVERNANCE', until } } }),
      testCall(),
    );
    await world.rules(rule('r', { expiration: { days: 1 }, noncurrentExpiration: { days: 1 } }));
    world.days(3);
    await world.run();
    world.days(3);
    const report = await world.run();
    expect(await world.list()).toEqual(['a:-', 'a:x*']);
    expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, locked: 1 });
    expect(countOf(report, 'r')?.oldestDue).toBeDefined();
    world.days(20);
    await world.run();
    expect(await world.list()).toEqual(['a:-']);
  });
});

test('uploads that are open too long are aborted, by prefix and initiation', async () => {
  const world = await LifecycleFixture.open();
  const { gateway } = world.world;
  await gateway.started('in/old', 'part');
  await gateway.started('out/old', 'part');
  world.days(3);
  await gateway.started('in/new', 'part');
  await world.rules(rule('r', { filter: { prefix: 'in/' }, abortDays: 1 }));
  const report = await world.run();
  const { entries } = await gateway.uploads.list(gateway.bucket, { prefix: '', limit: 10 }, testCall());
  expect(entries.map((entry) => entry.kind === 'upload' && entry.key)).toEqual(['in/new', 'out/old']);
  expect(countOf(report, 'r')).toMatchObject({ lookedAt: 2, due: 1, done: 1 });
});

describe('the lease of a bucket', () => {
  const claimed = async (now: number): Promise<PassLease<Progress> | undefined> =>
    PassLease.claim(
      { bucket: world.world.bucket, kind: LIFECYCLE_PASS },
      { now, monotonic: () => 0, wanted: (before) => before ?? BEGUN },
      testCall(),
    );
  const BEGUN: Progress = { startedAt: 0, phase: 'objects', after: '' };
  let world: LifecycleFixture;

  test('keeps others out until it is given back, or is over by the clock of the service', async () => {
    world = await LifecycleFixture.open();
    const now = Date.now();
    const first = await claimed(now);
    expect(first).toBeDefined();
    expect(await claimed(now + LEASE_MS - 1000)).toBeUndefined();
    const second = await claimed(now + LEASE_MS + 1000);
    expect(second).toBeDefined();
    await expect(first?.release(testCall())).rejects.toMatchObject({ kind: 'conditionFailed' });
    await second?.advance({ ...BEGUN, after: 'm' }, testCall());
    await second?.release(testCall());
    expect((await claimed(now))?.progress).toEqual({ ...BEGUN, after: 'm' });
  });

  test.each([
    ['no JSON', 'x'],
    ['nothing', 'null'],
    ['of a tool', '{"holder":"tool","progress":{"startedAt":"today","phase":"objects","after":""}}'],
    ['of a phase that is none', '{"holder":"tool","progress":{"startedAt":0,"phase":"later","after":""}}'],
    ['that never ends', `{"holder":"${'x'.repeat(64 * 1024)}"}`],
  ])('is not believed a note that is none: %s', async (_name, text) => {
    world = await LifecycleFixture.open();
    const ref = { container: 'system', name: `l/${world.world.bucket.uid}/pass` };
    await world.world.gateway.memory.write(ref, Buffer.from(text), { metadata: {} }, testCall());
    expect((await claimed(Date.now()))?.progress).toEqual(BEGUN);
  });

  test('goes with the bucket', async () => {
    world = await LifecycleFixture.open();
    await claimed(Date.now());
    const { gateway } = world.world;
    await gateway.buckets.delete(gateway.bucket, async () => true, testCall());
    world.days(2);
    await world.world.sweep();
    expect(await world.world.names('l/')).toEqual([]);
  });
});

test('a bucket that was looked at a short while ago is left alone', async () => {
  const world = await LifecycleFixture.open();
  await world.rules(rule('r', { expiration: { days: 1 } }));
  await world.put('a', 'x');
  await world.run();
  world.days(3);
  await world.run({ everyMs: 4 * DAY_MS });
  expect(await world.list()).toEqual(['a:x']);
  await world.run({ everyMs: 2 * DAY_MS });
  expect(await world.list()).toEqual([]);
});

test('a pass that a clock dated ahead holds up no other', async () => {
  const world = await LifecycleFixture.open();
  await world.rules(rule('r', { expiration: { days: 1 } }));
  await world.run({}, { serviceTime: () => Date.now() + 30 * DAY_MS });
  await world.put('a', 'x');
  world.days(3);
  await world.run({ everyMs: DAY_MS });
  expect(await world.list()).toEqual([]);
});
