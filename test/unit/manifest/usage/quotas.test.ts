import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Fault, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Quota, QuotaScope } from '../../../../src/manifest/usage/quota-scope.ts';
import { Quotas } from '../../../../src/manifest/usage/quotas.ts';
import { ABSENT, type BlobStore } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { ManualTime } from './manual-time.ts';
import { UsageFixture } from './usage-fixture.ts';

const EXCHANGE_MS = 5000;
const DAY_MS = 86_400_000;

interface Limits {
  readonly bucket?: Quota;
  readonly account?: Quota;
}

let usage: UsageFixture;
let clock: ManualTime;
let levels: [string, number][];
let problems: unknown[];
let calls: number;
let isDown: boolean;

beforeEach(async () => {
  usage = await UsageFixture.open();
  clock = new ManualTime();
  levels = [];
  problems = [];
  calls = 0;
  isDown = false;
});

afterEach(() => {
  vi.useRealTimers();
});

/** The quotas as one more process applies them. */
function processOf({ bucket, account }: Limits, otherStore?: BlobStore): Quotas {
  const store = withFaults(usage.world.gateway.memory, () => {
    calls += 1;
    return isDown ? { kind: 'fail' } : undefined;
  });
  const realm = usage.world.realm(store);
  const [backend] = realm.backends;
  if (backend === undefined) throw new Error('no backend');
  usage.world.gateway.bucket = { ...usage.world.bucket, home: { ...usage.world.bucket.home, store } };
  return new Quotas({
    backends: [
      { ...backend, time: clock.time },
      ...(otherStore === undefined ? [] : [{ ...backend, name: 'other', store: otherStore }]),
    ],
    ofBucket: (name) => (name === 'bucket' ? bucket : undefined),
    ofAccount: (id) => (id === OWNER && account !== undefined ? { name: 'team', quota: account } : undefined),
    exchangeMs: EXCHANGE_MS,
    maxAgeMs: 3 * DAY_MS,
    newCall: () => testCall(),
    onProblem: (error) => problems.push(error),
    onLevel: (scope: QuotaScope, percent) => levels.push([scope.owner.name, percent]),
  });
}

/** A write of so many bytes. @returns what became of it */
async function write(quotas: Quotas, bytes: number, objects = 1, isWritten = true): Promise<string> {
  try {
    const admitted = await quotas.admit(usage.world.bucket, { bytes, objects }, testCall());
    admitted.end(isWritten);
    return 'in';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describe('one process', () => {
  test('lets in what the quota has room for, by what was counted and written since', async () => {
    await usage.put('counted', '1234567890');
    await usage.count();
    const quotas = processOf({ bucket: { bytes: 100, objects: 4 } });
    expect(await write(quotas, 91)).toBe('QuotaExceeded');
    expect(await write(quotas, 50)).toBe('in');
    expect(await write(quotas, 41)).toBe('QuotaExceeded');
    expect(await write(quotas, 40)).toBe('in');
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
    expect(await write(quotas, 0)).toBe('in');
    expect(await write(quotas, 0)).toBe('QuotaExceeded');
    expect(await write(quotas, 0, 0)).toBe('in');
    expect(quotas.scopes[0]).toMatchObject({ used: { bytes: 100, objects: 4 }, refused: 4, share: 1 });
  });

  test('counts requests under way, and forgets those that have written nothing', async () => {
    const quotas = processOf({ bucket: { bytes: 10 } });
    const first = await quotas.admit(usage.world.bucket, { bytes: 6, objects: 1 }, testCall());
    expect(await write(quotas, 5)).toBe('QuotaExceeded');
    first.end(false);
    first.end(true);
    expect(await write(quotas, 10, 1, false)).toBe('in');
    expect(await write(quotas, 10)).toBe('in');
  });

  test('a request that turns out larger is refused, and holds what it was let in with until it ends', async () => {
    const quotas = processOf({ bucket: { bytes: 10 } });
    const open = await quotas.admit(usage.world.bucket, { bytes: 0, objects: 1 }, testCall());
    open.grow(8);
    expect(() => open.grow(3)).toThrow(expect.objectContaining({ code: 'QuotaExceeded' }));
    expect(await write(quotas, 3)).toBe('QuotaExceeded');
    open.end(true);
    expect(await write(quotas, 2)).toBe('in');
  });

  test('what was under way when it asked again counts once, whichever way it ends', async () => {
    const quotas = processOf({ bucket: { bytes: 10 } });
    const kept = await quotas.admit(usage.world.bucket, { bytes: 3, objects: 1 }, testCall());
    const failed = await quotas.admit(usage.world.bucket, { bytes: 4, objects: 1 }, testCall());
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 0, 0)).toBe('in');
    kept.end(true);
    failed.end(false);
    expect(quotas.scopes[0]?.used.bytes).toBe(3);
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 8)).toBe('QuotaExceeded');
    expect(await write(quotas, 7)).toBe('in');
  });

  test('bucket and account are judged both; other buckets of the account count', async () => {
    const other = await usage.world.gateway.addBucket('other');
    const quotas = processOf({ bucket: { bytes: 100 }, account: { bytes: 30 } });
    (await quotas.admit(other, { bytes: 20, objects: 1 }, testCall())).end(true);
    expect(await write(quotas, 11)).toBe('QuotaExceeded');
    expect(await write(quotas, 10)).toBe('in');
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
    expect(levels).toEqual([['team', 100]]);
  });

  test('80 and 100 percent are told once each', async () => {
    const quotas = processOf({ bucket: { bytes: 100 } });
    for (let at = 0; at < 10; at += 1) await write(quotas, 10);
    expect(levels).toEqual([
      ['bucket', 80],
      ['bucket', 100],
    ]);
  });

  test('asks the backend once in a while, also for many requests at once, and nothing without a quota', async () => {
    const quotas = processOf({ bucket: { bytes: 100 } });
    await Promise.all(Array.from({ length: 20 }, () => write(quotas, 1)));
    expect(calls).toBe(1);
    const other = await usage.world.gateway.addBucket('other');
    expect([quotas.isFor(other), quotas.isFor(usage.world.bucket)]).toEqual([false, true]);
  });

  test('goes on by what it knows while the backend does not answer, but not by nothing', async () => {
    isDown = true;
    const quotas = processOf({ bucket: { bytes: 10 } });
    expect(await write(quotas, 1)).toContain('unavailable');
    isDown = false;
    expect(await write(quotas, 6)).toBe('in');
    isDown = true;
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 5)).toBe('QuotaExceeded');
    expect(await write(quotas, 4)).toBe('in');
    expect(problems.length).toBeGreaterThan(0);
    isDown = false;
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
  });
});

test('what was written into a bucket that is deleted counts until a pass has found it gone', async () => {
  const other = await usage.world.gateway.addBucket('other');
  const quotas = processOf({ account: { bytes: 10 } });
  (await quotas.admit(other, { bytes: 10, objects: 1 }, testCall())).end(true);
  await clock.pass(EXCHANGE_MS);
  await usage.world.gateway.buckets.delete(other, async () => true, testCall());
  expect(await write(quotas, 1)).toBe('QuotaExceeded');
  await usage.count();
  await clock.pass(EXCHANGE_MS);
  expect(await write(quotas, 10)).toBe('in');
  // Not told yet, it counts although nothing of it can be read.
  clock.elapsed += EXCHANGE_MS;
  expect(await write(quotas, 1)).toBe('QuotaExceeded');
});

test('others are told about many buckets at a time', async () => {
  const quotas = processOf({ account: { bytes: 1000 } });
  let underWay = 0;
  let most = 0;
  const before = async (): Promise<void> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((done) => setImmediate(done));
    underWay -= 1;
  };
  const store = withFaults(usage.world.gateway.memory, () => ({ kind: 'interleave', before }));
  for (let at = 0; at < 20; at += 1) {
    const bucket = { ...usage.world.bucket, uid: `uid-${String(at)}`, home: { ...usage.world.bucket.home, store } };
    (await quotas.admit(bucket, { bytes: 1, objects: 1 }, testCall())).end(true);
  }
  await quotas.close();
  expect(most).toBe(16);
  expect((await usage.known()).filter(({ uid }) => uid.startsWith('uid-'))).toHaveLength(20);
});

describe('another backend of the account', () => {
  test('that fails, or does not answer, stops neither writes here nor what is known of them', async () => {
    let fault: Fault | undefined;
    const store = withFaults(new MemoryBlobStore(), () => fault);
    const limits = { account: { bytes: 100 } };
    const [first, second] = [processOf(limits, store), processOf(limits)];
    expect([await write(first, 1), await write(second, 60)]).toEqual(['in', 'in']);
    fault = { kind: 'fail' };
    await clock.pass(EXCHANGE_MS);
    expect(await write(first, 40)).toBe('QuotaExceeded');
    expect(problems).toHaveLength(1);
    const answered = new AbortController();
    fault = { kind: 'interleave', before: () => once(answered.signal, 'abort') };
    await clock.pass(EXCHANGE_MS);
    const asked = [write(first, 39), write(first, 1)];
    await clock.pass(1000);
    expect(await Promise.all(asked)).toEqual(['in', 'QuotaExceeded']);
    expect(problems).toHaveLength(2);
    answered.abort();
  });

  test('that has never answered is not taken for empty', async () => {
    const store = withFaults(new MemoryBlobStore(), () => ({ kind: 'fail' }));
    expect(await write(processOf({ account: { bytes: 100 } }, store), 1)).toContain('unavailable');
  });
});

test('a process that ends tells what it has written, once, whether or not that can be told', async () => {
  const quotas = processOf({ bucket: { bytes: 10 } });
  await write(quotas, 1);
  isDown = true;
  await quotas.close();
  const told = calls;
  await write(quotas, 1);
  await clock.pass(EXCHANGE_MS);
  expect([calls, problems.length]).toEqual([told, 1]);
});

describe('several processes', () => {
  test('know within twice the time of exchange what the others have written, also one that has died', async () => {
    const limits = { bucket: { bytes: 100 } };
    const [first, second] = [processOf(limits), processOf(limits)];
    expect(await write(first, 60)).toBe('in');
    expect(await write(second, 0, 0)).toBe('in');
    await clock.pass(EXCHANGE_MS);
    expect(await write(second, 41)).toBe('QuotaExceeded');
    expect(await write(second, 40)).toBe('in');
    await second.close();
    expect(await write(processOf(limits), 1)).toBe('QuotaExceeded');
  });

  test('exceed a quota by what is written within that time and no more', async () => {
    const limits = { bucket: { bytes: 1000 } };
    const fleet = [processOf(limits), processOf(limits), processOf(limits), processOf(limits)];
    const eachMs = 1000;
    const rate = 10;
    let written = 0;
    for (let at = 0; at < 100; at += 1) {
      for (const one of fleet) if ((await write(one, rate)) === 'in') written += rate;
      await clock.pass(eachMs);
    }
    const bound = 2 * (EXCHANGE_MS / eachMs) * rate * fleet.length;
    expect(written).toBeGreaterThanOrEqual(1000);
    expect(written).toBeLessThanOrEqual(1000 + bound);
  });

  test('a count takes the place of what was written before, and deleted objects free room with it', async () => {
    const limits = { bucket: { bytes: 100 } };
    const [first, second] = [processOf(limits), processOf(limits)];
    await write(first, 50);
    await write(second, 40);
    await clock.pass(EXCHANGE_MS);
    expect(await write(first, 11)).toBe('QuotaExceeded');
    await clock.pass(10 * 60_000);
    await usage.put('all that is left', '1234567890');
    await usage.count();
    await clock.pass(EXCHANGE_MS);
    expect(await write(first, 91)).toBe('QuotaExceeded');
    expect(await write(first, 90)).toBe('in');
    await clock.pass(EXCHANGE_MS);
    expect(await write(second, 1)).toBe('QuotaExceeded');
    const names = await usage.world.names('a/');
    expect(names.filter((name) => name.includes('/written-'))).toHaveLength(1);
  });

  test('what was written while a pass ran counts, whether the pass has seen it or not', async () => {
    const limits = { bucket: { bytes: 100 } };
    const quotas = processOf(limits);
    const { memory, bucket } = usage.world.gateway;
    await write(quotas, 30);
    const record = { v: 1, bucket: 'bucket', ownerId: OWNER, startedAt: Date.now() - 1000, finishedAt: Date.now() };
    const counted = { ...record, classes: [], markers: 0, uploads: 0, parts: 0, partBytes: 0 };
    const ref = { container: 'system', name: `a/${OWNER}/${bucket.uid}/usage` };
    await memory.write(
      ref,
      new Uint8Array(0),
      { metadata: { s3gw: JSON.stringify(counted) }, condition: ABSENT },
      testCall(),
    );
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 71)).toBe('QuotaExceeded');
  });

  test('records that are none of ours count for nothing', async () => {
    const quotas = processOf({ bucket: { bytes: 10 } });
    const { memory, bucket } = usage.world.gateway;
    for (const [at, text] of ['x', '[]', '{"v":1,"bucket":"b","spans":[[0,0,-1,0]]}', '{"v":2}'].entries()) {
      const ref = { container: 'system', name: `a/${OWNER}/${bucket.uid}/written-${String(at)}` };
      await memory.write(ref, new Uint8Array(0), { metadata: { s3gw: text } }, testCall());
    }
    expect(await write(quotas, 10)).toBe('in');
  });
});

describe('a count that is old', () => {
  test('is not gone by after three days: writes pass, and that shows', async () => {
    await usage.put('counted', '1234567890');
    await usage.count();
    const quotas = processOf({ bucket: { bytes: 10 } });
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
    await clock.pass(3 * DAY_MS + 1);
    expect(await write(quotas, 1)).toBe('in');
    expect(quotas.scopes[0]).toMatchObject({ unjudged: 1, refused: 1 });
    await usage.count();
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
  });

  test('of one bucket counts for nothing in its account, whose other buckets are judged', async () => {
    await usage.world.gateway.addBucket('other');
    await usage.put('counted long ago', '1234567890');
    await usage.count();
    const quotas = processOf({ account: { bytes: 10 } });
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
    await clock.pass(3 * DAY_MS + 1);
    await usage.count({ bucket: 'other' });
    await clock.pass(EXCHANGE_MS);
    expect(await write(quotas, 10)).toBe('in');
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
    expect(quotas.scopes[0]).toMatchObject({ unjudged: 0, refused: 2 });
  });

  test('without any, what gateways have written within three days counts', async () => {
    const quotas = processOf({ bucket: { bytes: 10 } });
    await write(quotas, 10);
    await clock.pass(2 * DAY_MS);
    expect(await write(quotas, 1)).toBe('QuotaExceeded');
    await clock.pass(DAY_MS + 1);
    expect(await write(quotas, 1)).toBe('in');
  });
});
