import { afterEach, describe, expect, it, vi } from 'vitest';
import { withFaults } from '../../../adapters/doubles/faults.ts';
import { testCall } from '../../support/test-call.ts';
import { MIN_PART, codeOf } from '../../unit/manifest/upload-fixture.ts';
import { SweepFixture, findings, problemsOf } from '../../unit/manifest/sweep/sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const PARTS = ['p'.repeat(MIN_PART), 'end'] as const;
const MOST_CALLS = 400;

/** Something of everything that a sweep finds work in. */
async function litter(world: SweepFixture): Promise<void> {
  const { gateway } = world;
  await world.put('native');
  await world.put('native', 'settles');
  await world.version('suspended');
  const { target, parts } = await gateway.started('settles', ...PARTS);
  await gateway.complete(target, parts);
  await world.version('enabled');
  await world.put('one');
  const crash = (...calls: readonly `${string} ${string}`[]): void => {
    gateway.plan = ({ method, ref }) =>
      calls.some((call) => `${method} ${ref.name ?? ''}`.startsWith(call)) ? { kind: 'fail' } : undefined;
  };
  crash('write k', 'remove v/');
  await codeOf(world.put('crashed'));
  await gateway.idle();
  crash('remove v/');
  const two = await world.put('two');
  await codeOf(world.remove(two));
  await world.put('one', 'void');
  await codeOf(
    world.remove(
      Object.keys(await world.view('void')).find((id) => id.length === 32),
      'void',
    ),
  );
  gateway.plan = () => undefined;
  await world.put('one', 'deleted');
  await world.remove(undefined, 'deleted');
  await world.put('again', 'deleted');
  const { target: aborted } = await gateway.started('k', ...PARTS);
  crash('remove v/');
  await codeOf(gateway.uploads.abort(aborted, testCall()));
  gateway.plan = () => undefined;
  await gateway.idle();
  gateway.backgroundErrors.length = 0;
}

const KEYS = ['k', 'settles', 'void', 'deleted'] as const;

function viewAll(world: SweepFixture): Promise<unknown[]> {
  return Promise.all(KEYS.map((key) => world.view(key)));
}

async function littered(): Promise<SweepFixture> {
  const world = await SweepFixture.open({ settling: false });
  await litter(world);
  world.advance(25);
  return world;
}

/** What clients do while the sweep is at work; each says what must hold when it is done. */
const CLIENTS: Readonly<Record<string, (world: SweepFixture) => Promise<() => Promise<void>>>> = {
  'another sweep': async (world) => {
    await world.sweep();
    return async () => undefined;
  },
  'a PUT of every key': async (world) => {
    const ids = await Promise.all(KEYS.map((key) => world.put('new', key)));
    return async () => {
      for (const [n, key] of KEYS.entries()) {
        expect([await world.text(undefined, key), await world.text(ids[n], key)]).toEqual(['new', 'new']);
      }
    };
  },
  'a DELETE of every key': async (world) => {
    await Promise.all(KEYS.map((key) => world.remove(undefined, key)));
    return async () => {
      for (const key of KEYS) expect(await world.text(undefined, key)).toBe('NoSuchKey');
      expect((await world.names('x/')).length).toBe(KEYS.length);
    };
  },
  'a DELETE of the null version': async (world) => {
    await world.remove('null');
    return async () => expect(await world.text('null')).toBe('NoSuchVersion');
  },
  'an upload from beginning to end': async (world) => {
    const { target, parts } = await world.gateway.started('k', ...PARTS);
    const { versionId } = await world.gateway.complete(target, parts);
    return async () =>
      expect([await world.text(), await world.text(versionId)]).toEqual([PARTS.join(''), PARTS.join('')]);
  },
};

describe.each(Object.keys(CLIENTS))('%s', (client) => {
  it.each(['before', 'after'] as const)(
    '%s any call of a sweep: both come to their end, and nothing is lost',
    async (side) => {
      for (let n = 1, reached = true; reached; n++) {
        expect(n).toBeLessThan(MOST_CALLS);
        const world = await littered();
        let count = 0;
        let check = async (): Promise<void> => undefined;
        const act = async (): Promise<void> => {
          check = (await CLIENTS[client]?.(world)) ?? check;
        };
        const store = withFaults(world.gateway.memory, () =>
          ++count === n ? { kind: 'interleave', [side]: act } : undefined,
        );
        expect(problemsOf(await world.sweep({}, { store }))).toEqual([]);
        await world.gateway.idle();
        reached = count >= n;
        await check();
        const view = await viewAll(world);
        for (const hours of [25, 8 * 24]) {
          world.advance(hours);
          expect(problemsOf(await world.sweep())).toEqual([]);
        }
        expect(await viewAll(world), `at call ${n}`).toEqual(view);
        vi.useRealTimers();
      }
    },
  );
});

describe('two sweeps side by side', () => {
  it('do the work of one', async () => {
    const world = await littered();
    // What there is to be done: without it nothing here would show anything.
    expect(Object.keys(findings(await world.sweep({ dryRun: true }))).sort()).toEqual([
      'index',
      'logged',
      'staging',
      'tombstones',
      'unsettled',
      'versions',
      'voids',
    ]);
    const before = await viewAll(world);
    const reports = await Promise.all([world.sweep({ concurrency: 3 }), world.sweep({ concurrency: 1 })]);
    expect(reports.flatMap(problemsOf)).toEqual([]);
    expect(await viewAll(world)).toEqual(before);
    expect(await world.names('u/', 'p/', 'c/')).toEqual([]);
  });
});
