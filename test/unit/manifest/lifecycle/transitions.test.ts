import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { CustomerKey } from '../../../../src/store/customer-key.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { CLASSES, LifecycleFixture, countOf, problemsOf, rule } from './lifecycle-fixture.ts';

/** Small objects are moved, too, where a rule says a size. */
const ANY_SIZE = { filter: { and: { tags: [], prefix: '', sizeAbove: 0 } } } as const;
const COLD = { transitions: [{ days: 30, storageClass: 'STANDARD_IA' }] } as const;
const FROZEN = { transitions: [{ days: 1, storageClass: 'GLACIER' }] } as const;

let world: LifecycleFixture;

beforeEach(async () => {
  world = await LifecycleFixture.open({ classes: CLASSES, capabilities: { archiveIsOffline: false } });
});
afterEach(() => {
  vi.useRealTimers();
});

const run = async (): Promise<Awaited<ReturnType<LifecycleFixture['run']>>> => {
  const report = await world.run();
  expect(problemsOf(report)).toEqual([]);
  return report;
};

const find = (key = 'a', versionId?: string): ReturnType<typeof world.world.gateway.objects.find> => {
  const { objects, bucket } = world.world.gateway;
  return objects.find({ bucket, key, versionId }, testCall());
};

describe('a transition', () => {
  test('is made when its days are over; date, ETag and bytes stay', async () => {
    await world.put('a', 'bytes');
    const before = await find();
    await world.rules(rule('r', { ...ANY_SIZE, ...COLD }));
    world.days(30);
    await run();
    expect(await world.classes()).toEqual(['a:STANDARD']);
    world.days(1);
    const report = await run();
    expect(await world.classes()).toEqual(['a:STANDARD_IA']);
    expect(countOf(report, 'r')).toMatchObject({ lookedAt: 1, due: 1, done: 1 });
    const { etag, mtime } = await find();
    expect([etag, mtime]).toEqual([before.etag, before.mtime]);
    expect((await world.world.gateway.memory.head({ container: 'bucket', name: 'a' }, testCall())).tier).toBe('cool');
    expect(countOf(await run(), 'r')).toMatchObject({ lookedAt: 1, due: 0 });
  });

  test('goes by date, by prefix, size and tags; the coldest class that is due is taken', async () => {
    await world.put('in/tagged', 'bytes', { tags: [{ key: 'k', value: 'v' }] });
    await world.put('in/other', 'bytes');
    await world.put('out', 'bytes', { tags: [{ key: 'k', value: 'v' }] });
    await world.put('in/small', 'b', { tags: [{ key: 'k', value: 'v' }] });
    const filter = { and: { prefix: 'in/', tags: [{ key: 'k', value: 'v' }], sizeAbove: 1 } };
    const both = [
      { date: 0, storageClass: 'GLACIER_IR' },
      { date: 0, storageClass: 'GLACIER' },
    ];
    await world.rules(rule('r', { filter, transitions: both }));
    await run();
    expect(await world.classes()).toEqual([
      'in/other:STANDARD',
      'in/small:STANDARD',
      'in/tagged:GLACIER',
      'out:STANDARD',
    ]);
  });

  test('leaves small objects alone, but for archives where the bucket says so', async () => {
    await world.put('a', 'x'.repeat(128 * 1024 - 1));
    await world.put('b', 'x'.repeat(128 * 1024));
    const rules = [rule('r', COLD), rule('f', { ...FROZEN, filter: { prefix: 'a' } })];
    await world.rules(...rules);
    world.days(40);
    await run();
    expect(await world.classes()).toEqual(['a:STANDARD', 'b:STANDARD_IA']);
    await world.configure({ rules, minimumSize: 'varies_by_storage_class' });
    await run();
    expect(await world.classes()).toEqual(['a:GLACIER', 'b:STANDARD_IA']);
  });

  test('from an archive into a deeper one changes the record alone, and a restore stays', async () => {
    await world.put('a', 'bytes');
    await world.rules(rule('r', { ...ANY_SIZE, ...FROZEN }));
    world.days(3);
    await run();
    const { objects, bucket } = world.world.gateway;
    const target = { bucket, key: 'a' };
    await objects.restore(target, { days: 9, tier: 'Standard', guard: () => undefined }, testCall());
    const [before, pieces] = [await find(), await world.world.names('e/')];
    await world.rules(rule('r', { ...ANY_SIZE, transitions: [{ days: 1, storageClass: 'DEEP_ARCHIVE' }] }));
    await run();
    const after = await find();
    expect(await world.classes()).toEqual(['a:DEEP_ARCHIVE']);
    expect([after.restore, after.mtime, after.archived]).toEqual([before.restore, before.mtime, false]);
    expect(await world.world.names('e/')).toEqual(pieces);
    expect(await world.list()).toEqual(['a:bytes']);
  });

  test('is not made of what expires for good that day; a delete marker comes after it', async () => {
    await world.put('a', 'bytes');
    const both = rule('r', { ...ANY_SIZE, ...FROZEN, expiration: { days: 2 } });
    await world.rules(both);
    world.days(5);
    await run();
    expect(await world.list()).toEqual([]);
    expect(await world.world.names('e/')).toEqual([]);

    await world.world.version('enabled');
    await world.put('b', 'bytes');
    world.days(5);
    await run();
    expect(await world.classes()).toEqual(['b:GLACIER']);
    await run();
    expect([await world.list(), await world.classes()]).toEqual([['b:-', 'b:bytes*'], ['b:GLACIER*']]);
  });

  test('of versions: current and noncurrent by their own rules, and the head says the class of its version', async () => {
    await world.world.version('enabled');
    for (const text of ['1', '2', '3', '4']) await world.put('a', text);
    await world.rules(
      rule('current', { ...ANY_SIZE, transitions: [{ days: 1, storageClass: 'GLACIER_IR' }] }),
      rule('old', { ...ANY_SIZE, noncurrentTransitions: [{ days: 1, newer: 1, storageClass: 'GLACIER' }] }),
    );
    world.days(3);
    const report = await run();
    expect(await world.list()).toEqual(['a:4', 'a:3*', 'a:2*', 'a:1*']);
    expect(await world.classes()).toEqual(['a:GLACIER_IR', 'a:STANDARD*', 'a:GLACIER*', 'a:GLACIER*']);
    expect([countOf(report, 'current')?.done, countOf(report, 'old')?.done]).toEqual([1, 2]);
  });

  test('moves what is locked, too', async () => {
    await world.world.version('enabled');
    const until = Date.now() + 99 * 86_400_000;
    await world.put('a', 'bytes', {});
    const { objects, bucket } = world.world.gateway;
    await objects.amend(
      { bucket, key: 'a' },
      () => ({ lock: { retention: { mode: 'COMPLIANCE', until } } }),
      testCall(),
    );
    await world.rules(rule('r', { ...ANY_SIZE, ...FROZEN }));
    world.days(3);
    await run();
    expect(await world.classes()).toEqual(['a:GLACIER']);
    expect((await find()).lock).toEqual({ retention: { mode: 'COMPLIANCE', until } });
  });

  test('that broke off before the head said it is mended by the next pass', async () => {
    await world.world.version('enabled');
    await world.put('a', 'bytes');
    await world.rules(rule('r', { ...ANY_SIZE, ...FROZEN }));
    world.days(3);
    const store = withFaults(world.world.gateway.memory, ({ method, ref }) =>
      method === 'setMetadata' && ref.container === 'bucket' ? { kind: 'fail' } : undefined,
    );
    expect(problemsOf(await world.run({}, { store }))).toHaveLength(1);
    expect(await world.classes()).toEqual(['a:STANDARD (HEAD says GLACIER)']);
    expect(countOf(await run(), 'r')).toMatchObject({ due: 1, done: 0, changed: 1 });
    expect(await world.classes()).toEqual(['a:GLACIER']);
  });

  test('is not made of a noncurrent version that is current again', async () => {
    await world.world.version('enabled');
    await world.put('a', 'old');
    const newer = await world.put('a', 'new');
    await world.rules(rule('r', { ...ANY_SIZE, noncurrentTransitions: [{ days: 1, storageClass: 'GLACIER' }] }));
    world.days(3);
    let isListed = false;
    const store = withFaults(world.world.gateway.memory, ({ method, ref }) => {
      if (method !== 'head' || isListed || ref.name?.startsWith('v/') !== true) return undefined;
      isListed = true;
      return { kind: 'interleave', before: () => world.world.remove(newer, 'a') };
    });
    expect(countOf(await world.run({}, { store }), 'r')).toMatchObject({ due: 1, done: 0, changed: 1 });
    expect(await world.classes()).toEqual(['a:STANDARD']);
  });
});

describe('what cannot be moved is said, and holds no other rule up', () => {
  test('objects under a key of their own', async () => {
    const { objects, bucket } = world.world.gateway;
    const keepApart = { kind: 'customer', key: new CustomerKey(Buffer.alloc(32, 7)) } as const;
    const attributes = { headers: {}, userMetadata: {} };
    const request = { body: Buffer.from('bytes'), attributes, ownerId: OWNER, conditions: {}, keepApart };
    await world.world.version('enabled');
    await objects.put({ bucket: world.world.gateway.bucket, key: 'a' }, request, testCall());
    await world.rules(rule('r', { ...ANY_SIZE, ...FROZEN }), rule('e', { expiration: { days: 2 } }));
    world.days(5);
    const report = await run();
    expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, unmovable: 1 });
    expect(countOf(report, 'e')).toMatchObject({ due: 1, done: 1 });
    expect(report.buckets[0]?.warnings).toEqual([
      'rule r: not moved to GLACIER, because its bytes are encrypted with a key of their own (1 times)',
    ]);
    expect(bucket.home.classes).toBeDefined();
    expect(await world.list()).toEqual(['a:-', 'a:bytes*']);
  });

  test('classes that are labels, and tiers that the account does not have', async () => {
    await world.put('a', 'bytes');
    await world.rules(rule('r', { ...ANY_SIZE, ...FROZEN }));
    world.days(3);
    const store = withFaults(world.world.gateway.memory, ({ method }) =>
      method === 'copy' ? { kind: 'fail', error: 'tierRefused' } : undefined,
    );
    const refused = await world.run({}, { store });
    expect(countOf(refused, 'r')).toMatchObject({ due: 1, unmovable: 1 });
    expect(refused.buckets[0]?.warnings).toEqual([
      'rule r: not moved to GLACIER, because the account has no such tier (1 times)',
    ]);
    vi.useRealTimers();
    world = await LifecycleFixture.open();
    await world.put('a', 'bytes');
    await world.rules(rule('r', { ...ANY_SIZE, ...FROZEN }));
    world.days(3);
    const labels = await run();
    expect(countOf(labels, 'r')).toMatchObject({ due: 1, unmovable: 1 });
    expect(labels.buckets[0]?.warnings).toHaveLength(1);
  });
});

test('a dry run says what would be moved, warns, and moves nothing', async () => {
  await world.put('a', 'bytes');
  await world.rules(rule('r', { ...ANY_SIZE, transitions: [{ date: 0, storageClass: 'GLACIER' }] }));
  const report = await world.run({ dryRun: true });
  expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, oldestDue: '1970-01-01T00:00:00.000Z' });
  expect(report.buckets[0]?.warnings).toEqual([
    'rule r: its date 1970-01-01 has passed, so each pass moves everything that is new, too',
    'rule r: this moves 1 objects, versions or uploads',
  ]);
  expect(await world.classes()).toEqual(['a:STANDARD']);
});
