import { describe, expect, it, vi } from 'vitest';
import type { finishDeletion } from '../../../src/manifest/versions/displace.ts';
import { judgeRest, judgeSweep } from './at-rest.ts';
import { type Explored, explore } from './explore.ts';
import { keyState } from './key-state.ts';
import type { Dish } from './menus.ts';
import type { VersionPick } from './operation.ts';
import { simulateTime } from './simulation.ts';
import { startOf } from './starts.ts';
import { World } from './world.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('./seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('./seeded-random.ts')),
}));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: async () => undefined,
}));

/** `forgets`: a DELETE by id that finds nothing visible is answered without a look at the log, as it once was. */
const plant = vi.hoisted(() => ({ forgets: false }));

vi.mock('../../../src/manifest/versions/displace.ts', async (original) => {
  const real = await original<{ readonly finishDeletion: typeof finishDeletion }>();
  const forgetful: typeof finishDeletion = async (...args) => (plant.forgets ? false : real.finishDeletion(...args));
  return { ...real, finishDeletion: forgetful };
});

/** Deleted before, by who crashed behind the commit. */
const GONE = 'gone';
const E = { mode: 'enabled' } as const;
const remove = (version: VersionPick): Dish => ({ kind: 'deleteVersion', ...E, version });
const read = (version: VersionPick): Dish => ({ kind: 'getVersion', ...E, version });
const put: Dish = { kind: 'put', ...E };

interface Meeting {
  readonly start: string;
  /** Operations of each client, one after the other. */
  readonly clients: readonly (readonly Dish[])[];
  readonly faults: number;
}

const MEETINGS: Readonly<Record<string, Meeting>> = {
  'sent again by the same client': {
    start: 'link over link',
    clients: [[remove(0), remove(0), read(0)]],
    faults: 2,
  },
  'sent again by another client': {
    start: 'link over link',
    clients: [[remove(0)], [remove(0), read(0)]],
    faults: 1,
  },
  'sent again, beside a PUT': {
    start: 'link over link',
    clients: [[remove(0), remove(0)], [put]],
    faults: 1,
  },
  'of the current version, and of the one that came back by that': {
    start: 'link over link',
    clients: [[remove(1), remove(0), remove(0), read(0)]],
    faults: 2,
  },
  "of an upload's version": {
    start: 'link over upload',
    clients: [[remove(0), remove(0), read(0)]],
    faults: 2,
  },
  'after one that committed and crashed, beside a PUT': {
    start: 'log of a deletion',
    clients: [[remove(GONE), read(GONE)], [put]],
    faults: 0,
  },
  "after one of an upload's version that committed and crashed, beside another": {
    start: 'log of a deletion of an upload',
    clients: [[remove(GONE), read(GONE)], [remove(GONE)]],
    faults: 1,
  },
  'after one of the last version, which had come back, beside a PUT': {
    start: 'void of one that came back',
    clients: [[remove(GONE), read(GONE)], [put]],
    faults: 1,
  },
  'by two at once, after one of the last version, which had come back': {
    start: 'void of one that came back',
    clients: [[remove(GONE), read(GONE)], [remove(GONE)]],
    faults: 1,
  },
};

async function meet({ start, clients, faults }: Meeting): Promise<Explored> {
  const snapshot = await startOf('versioned', start);
  const [gone = ''] = (await keyState(await World.of(snapshot), 'k')).readable;
  const named = (dish: Dish): Dish => (dish.version === GONE ? { ...dish, version: gone } : dish);
  const plan = {
    start: snapshot,
    clients: clients.map((dishes) => ({ skew: 0, operations: dishes.map((dish) => ({ ...named(dish), key: 'k' })) })),
  };
  const place = { key: 'k', mode: 'enabled' } as const;
  return explore(plan, {
    faults,
    maxRuns: 20_000,
    atEnd: async (run) => {
      await judgeRest(run, place);
      await judgeSweep(run, place);
    },
  });
}

describe('a DELETE by id, acknowledged, leaves nothing to be read by that id', () => {
  simulateTime();

  it.each(Object.entries(MEETINGS))(
    '%s',
    async (_what, meeting) => {
      expect((await meet(meeting)).complete).toBe(true);
    },
    300_000,
  );

  it.each(Object.entries(MEETINGS))(
    'it is noticed when it does: %s',
    async (_what, meeting) => {
      // Before the plant: a start may have a DELETE in its past.
      await startOf('versioned', meeting.start);
      plant.forgets = true;
      await expect(
        meet(meeting).finally(() => {
          plant.forgets = false;
        }),
      ).rejects.toThrow(/acknowledged, and the version can still be read by its id/);
    },
    300_000,
  );
});
