import { afterEach, describe, expect, it, vi } from 'vitest';
import { withFaults } from '../../../adapters/doubles/faults.ts';
import { testCall } from '../../support/test-call.ts';
import { countOf, LifecycleFixture, problemsOf, rule } from '../../unit/manifest/lifecycle/lifecycle-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const MOST_CALLS = 200;
/** One change at a time, so that a race stands between two of them. */
const ONE = { concurrency: 1 };

const ALL_RULES = [
  rule('r', { expiration: { days: 1 }, noncurrentExpiration: { days: 1 }, abortDays: 1 }),
  rule('m', { expiration: { loneMarkers: true } }),
];

/** Objects, noncurrent versions, a lone delete marker and an upload, all of them due. */
async function aged(): Promise<LifecycleFixture> {
  const world = await LifecycleFixture.open();
  const { gateway } = world.world;
  await world.put('native', 'n');
  await world.world.version('enabled');
  for (const text of ['1', '2', '3']) await world.put('k', text);
  await world.world.remove(undefined, 'marker');
  await gateway.started('upload', 'part');
  await gateway.idle();
  await world.rules(...ALL_RULES);
  world.days(3);
  return world;
}

const DONE = ['k:-', 'k:3*', 'native:-', 'native:n*'];

/** What clients do while the rules are carried out; each says what must be there at the end. */
const CLIENTS: Readonly<Record<string, (world: LifecycleFixture) => Promise<(list: readonly string[]) => void>>> = {
  'a PUT of the key': async (world) => {
    await world.put('k', 'new');
    return (list) => expect(list).toContain('k:new');
  },
  'a PUT of the same bytes': async (world) => {
    await world.put('k', '3');
    return (list) => expect(list).toContain('k:3');
  },
  'a PUT of a key that a delete marker hides': async (world) => {
    await world.put('marker', 'new');
    return (list) => expect(list).toContain('marker:new');
  },
  'the removal of all but the oldest version': async (world) => {
    const { gateway } = world.world;
    const ids = Object.entries(await world.world.view('k')).filter(([id]) => id.length === 32);
    const [oldest] = ids.filter(([, text]) => text === '1');
    if (oldest === undefined) return () => undefined;
    const markers = (await gateway.names('v/')).length;
    expect(markers).toBeGreaterThan(0);
    for (const [id, text] of ids) if (text === '2' || text === '3') await world.world.remove(id, 'k');
    // A delete marker that the rules made in between hides it, as it would hide any.
    return (list) => expect(list.some((line) => line.startsWith('k:1'))).toBe(true);
  },
  'another run of the rules': async (world) => {
    await world.run();
    return () => undefined;
  },
};

describe.each(Object.keys(CLIENTS))('%s', (client) => {
  it.each(['before', 'after'] as const)('%s any call of a run: what is new stays', async (side) => {
    for (let n = 1, reached = true; reached; n++) {
      expect(n).toBeLessThan(MOST_CALLS);
      const world = await aged();
      let count = 0;
      let check: (list: readonly string[]) => void = () => undefined;
      const act = async (): Promise<void> => {
        check = (await CLIENTS[client]?.(world)) ?? check;
        await world.world.gateway.idle();
      };
      const store = withFaults(world.world.gateway.memory, () =>
        ++count === n ? { kind: 'interleave', [side]: act } : undefined,
      );
      expect(problemsOf(await world.run(ONE, { store }))).toEqual([]);
      reached = count >= n;
      check(await world.list());
      vi.useRealTimers();
    }
  });
});

describe('a run that ends at any call', () => {
  it('is gone on with by the next one, which comes to the same', async () => {
    for (let n = 1, reached = true; reached; n++) {
      expect(n).toBeLessThan(MOST_CALLS);
      const world = await aged();
      const stop = new AbortController();
      let count = 0;
      const store = withFaults(world.world.gateway.memory, () => {
        if (++count < n) return undefined;
        stop.abort();
        return { kind: 'fail' };
      });
      await world.run(ONE, { store, call: testCall(stop.signal) });
      reached = count >= n;
      // What it held is over.
      world.days(1);
      for (let again = 0; again < 2; again++) expect(problemsOf(await world.run())).toEqual([]);
      expect(await world.list()).toEqual(DONE);
      vi.useRealTimers();
    }
  });
});

describe('two runs side by side', () => {
  it('do the work of one', async () => {
    const world = await aged();
    const reports = await Promise.all([world.run(), world.run()]);
    expect(reports.flatMap(problemsOf)).toEqual([]);
    await world.run();
    expect(await world.list()).toEqual(DONE);
  });
});

describe('a rule', () => {
  it('that is deleted amid a page acts no more', async () => {
    const world = await LifecycleFixture.open();
    for (let n = 0; n < 20; n++) await world.put(`k${String(n).padStart(2, '0')}`, 'x');
    await world.rules(rule('r', { expiration: { days: 1 } }));
    world.days(3);
    let removed = 0;
    const store = withFaults(world.world.gateway.memory, ({ method, ref }) => {
      if (method !== 'remove' || ref.container === 'system' || ++removed !== 5) return undefined;
      return {
        kind: 'interleave',
        after: async () => {
          await world.rules();
          // Longer than a record is remembered.
          vi.setSystemTime(Date.now() + 1000);
        },
      };
    });
    const report = await world.run(ONE, { store });
    expect(problemsOf(report)).toEqual([]);
    expect(await world.list()).toHaveLength(15);
    expect(countOf(report, 'r')?.done).toBe(5);
  });

  it('is not starved by a larger bucket, nor by one that fails', async () => {
    const world = await LifecycleFixture.open();
    await world.put('a', 'x');
    await world.rules(rule('r', { expiration: { days: 1 } }));
    world.days(3);
    const broken = await world.world.gateway.addBucket('a-broken');
    await world.world.gateway.buckets.amend(
      broken,
      (settings) => ({ ...settings, lifecycle: { rules: [rule('r', { expiration: { days: 1 } })] } }),
      testCall(),
    );
    const store = withFaults(world.world.gateway.memory, ({ method, ref }) =>
      method === 'list' && ref.container === broken.home.container ? { kind: 'fail' } : undefined,
    );
    const report = await world.run({}, { store });
    expect(problemsOf(report)).toHaveLength(1);
    expect(await world.list()).toEqual([]);
  });
});
