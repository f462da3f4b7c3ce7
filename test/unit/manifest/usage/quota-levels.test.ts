import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Backend } from '../../../../src/manifest/buckets/realm.ts';
import {
  levelOfBucket,
  type QuotaNotice,
  settleLevel,
  type TellQuota,
} from '../../../../src/manifest/usage/quota-levels.ts';
import { type Quota, QuotaScope } from '../../../../src/manifest/usage/quota-scope.ts';
import { Quotas } from '../../../../src/manifest/usage/quotas.ts';
import { settleLevels } from '../../../../src/manifest/usage/settle-levels.ts';
import type { Call } from '../../../../src/observe/call.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { ManualTime } from './manual-time.ts';
import { UsageFixture } from './usage-fixture.ts';

const MINUTE_MS = 60_000;
const MAX_AGE_MS = 3 * 24 * 60 * MINUTE_MS;
const QUOTA: Quota = { bytes: 100 };

let usage: UsageFixture;
let told: QuotaNotice[];
/** What the receiver does instead of taking the next notices. */
let refusals: ((call: Call) => Promise<void>)[];

beforeEach(async () => {
  usage = await UsageFixture.open();
  told = [];
  refusals = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const tell: TellQuota = async (notice, call) => {
  const refused = refusals.shift();
  if (refused !== undefined) await refused(call);
  told.push(notice);
};
const failing = async (): Promise<void> => {
  throw new Error('the receiver answered 503');
};

/** The quota of the bucket, of which so much is used. */
function scopeOf(bytes: number): QuotaScope {
  const scope = new QuotaScope({ kind: 'bucket', name: 'bucket' });
  scope.quota = QUOTA;
  scope.renew({ bytes, objects: 1, countedAt: undefined, isStale: false });
  return scope;
}

/** What one more process makes of that. */
function settle(bytes: number, isCounted = false): Promise<number | undefined> {
  const place = levelOfBucket(usage.world.bucket);
  return settleLevel(place, scopeOf(bytes), { tell, now: Date.now(), isCounted }, testCall());
}

const percents = (): number[] => told.map(({ percent }) => percent);

describe('a level', () => {
  test('is told once, whichever processes find it, and the next one, too', async () => {
    expect(await settle(79)).toBe(0);
    expect(await settle(80)).toBe(80);
    expect(await settle(99)).toBe(80);
    expect(await settle(100)).toBe(100);
    expect(await settle(120)).toBe(100);
    expect(told).toMatchObject([
      { owner: { kind: 'bucket', name: 'bucket' }, percent: 80, quota: QUOTA, used: { bytes: 80, objects: 1 } },
      { percent: 100, used: { bytes: 100 } },
    ]);
  });

  test('that is passed over is not told', async () => {
    await settle(200);
    expect(percents()).toEqual([100]);
  });

  test('is told again when less was counted in between, and not when a process only knows less', async () => {
    await settle(100);
    expect(await settle(50)).toBe(0);
    await settle(100);
    expect(percents()).toEqual([100]);
    expect(await settle(90, true)).toBe(80);
    await settle(95);
    await settle(100);
    expect(percents()).toEqual([100, 100]);
    await settle(0, true);
    await settle(85);
    expect(percents()).toEqual([100, 100, 80]);
    expect(new Set(told.map(({ id }) => id)).size).toBeGreaterThan(1);
  });

  test('is told by one of several processes that find it at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => settle(80)));
    expect(percents()).toEqual([80]);
  });

  test('is told by another process, under the same id, if one has died over it', async () => {
    let isSent = (): void => undefined;
    const sent = new Promise<void>((done) => (isSent = done));
    refusals = [
      async () => {
        told.push({ id: 'of the dead' } as QuotaNotice);
        isSent();
        await new Promise(() => undefined);
      },
    ];
    const before = Date.now();
    void settle(80);
    await sent;
    expect(await settle(80)).toBeUndefined();
    vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
    expect(await settle(80)).toBe(80);
    expect(told.slice(1)).toMatchObject([{ percent: 80, since: before }]);
    expect(told[1]?.id).toBe(`${usage.world.bucket.uid}-80-${String(before)}`);
  });

  test('that is no record of ours is written over', async () => {
    const { store, system, name } = levelOfBucket(usage.world.bucket);
    await store.write({ container: system, name }, new Uint8Array(0), { metadata: { s3gw: '{"v":1}' } }, testCall());
    expect(await settle(80)).toBe(80);
    expect(percents()).toEqual([80]);
  });

  test('goes with its bucket, and not with a count', async () => {
    await settle(80);
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    await usage.count();
    const names = (): Promise<string[]> => usage.world.names('a/');
    expect(await names()).toContain(levelOfBucket(usage.world.bucket).name);
    await usage.world.gateway.buckets.delete(usage.world.bucket, async () => true, testCall());
    await usage.count();
    expect(await names()).toEqual([]);
  });
});

describe('a gateway', () => {
  let clock: ManualTime;
  let problems: unknown[];
  let quotas: Quotas;

  beforeEach(() => {
    clock = new ManualTime();
    problems = [];
    const [backend] = usage.world.realm().backends;
    if (backend === undefined) throw new Error('no backend');
    quotas = new Quotas({
      backends: [{ ...backend, time: clock.time }],
      ofBucket: () => QUOTA,
      ofAccount: () => undefined,
      exchangeMs: 5000,
      maxAgeMs: MAX_AGE_MS,
      newCall: () => testCall(),
      onProblem: (error) => problems.push(error),
      onLevel: () => undefined,
      tell,
    });
  });

  async function write(bytes: number): Promise<void> {
    (await quotas.admit(usage.world.bucket, { bytes, objects: 1 }, testCall())).end(true);
  }

  test('tells beside its requests: a receiver that hangs holds up none, and both levels are told', async () => {
    let takes = (): void => undefined;
    refusals = [() => new Promise((done) => (takes = done))];
    await write(80);
    await write(20);
    await expect.poll(() => refusals).toEqual([]);
    takes();
    await expect.poll(percents).toEqual([80, 100]);
    await quotas.close();
  });

  test('tries again what the receiver has not taken', async () => {
    refusals = [failing];
    await write(80);
    await expect.poll(() => problems).toHaveLength(1);
    expect(told).toEqual([]);
    const later = async (): Promise<number[]> => {
      await clock.pass(2 * MINUTE_MS + 1000);
      return percents();
    };
    await expect.poll(later).toEqual([80]);
    await quotas.close();
  });

  test('that ends does not wait for a receiver that hangs', async () => {
    refusals = [
      async ({ signal }) => {
        await new Promise((done) => signal.addEventListener('abort', done));
        signal.throwIfAborted();
      },
    ];
    await write(80);
    await expect.poll(() => refusals).toEqual([]);
    await quotas.close();
    expect([told, problems]).toEqual([[], []]);
  });
});

describe('a pass', () => {
  const other: Backend = {
    name: 'other',
    store: new MemoryBlobStore(),
    systemContainer: 'system',
    ownerId: OWNER,
  };
  let account: Quota | undefined;
  let bucket: Quota | undefined;

  beforeEach(() => {
    account = undefined;
    bucket = undefined;
  });

  function settleAll(isAll = true, first: readonly Backend[] = []): Promise<string[]> {
    return settleLevels(
      {
        backends: [...first, ...usage.world.realm().backends],
        isAll,
        ofBucket: () => bucket,
        ofAccount: (id) => (id === OWNER && account !== undefined ? { name: 'team', quota: account } : undefined),
        maxAgeMs: MAX_AGE_MS,
        tell,
      },
      testCall(),
    );
  }

  test('tells what no gateway was asked to write, and notices that objects were deleted', async () => {
    bucket = { objects: 2 };
    await usage.put('one', 'x');
    await usage.put('two', 'x');
    await usage.count();
    expect(await settleAll()).toEqual([]);
    expect(await settleAll()).toEqual([]);
    expect(told).toMatchObject([{ owner: { kind: 'bucket', name: 'bucket' }, percent: 100 }]);
    await usage.world.remove(undefined, 'one');
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    await usage.count();
    await settleAll();
    await usage.put('one', 'x');
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    await usage.count();
    await settleAll();
    expect(percents()).toEqual([100, 100]);
  });

  test('judges an account by all backends or not at all, also where the first one has nothing yet', async () => {
    account = { objects: 1 };
    await usage.put('one', 'x');
    await usage.count();
    await settleAll(false);
    expect(told).toEqual([]);
    await settleAll(true, [other]);
    await settleAll(true, [other]);
    expect(told).toMatchObject([{ owner: { kind: 'account', name: 'team' }, percent: 100 }]);
    const { entries } = await other.store.list('system', { limit: 10 }, testCall());
    expect(entries.map(({ name }) => name)).toEqual([`a/${OWNER}/quota`]);
  });

  test('names what it could not tell, and the next one tells it', async () => {
    bucket = { objects: 1 };
    await usage.put('one', 'x');
    await usage.count();
    refusals = [failing];
    expect(await settleAll()).toEqual(['quota of bucket bucket: the receiver answered 503']);
    vi.setSystemTime(Date.now() + 3 * MINUTE_MS);
    expect(await settleAll()).toEqual([]);
    expect(percents()).toEqual([100]);
  });

  test('does not go by a count that is too old', async () => {
    bucket = { objects: 1 };
    await usage.put('one', 'x');
    await usage.count();
    vi.setSystemTime(Date.now() + MAX_AGE_MS + 1);
    await settleAll();
    expect(told).toEqual([]);
  });
});
