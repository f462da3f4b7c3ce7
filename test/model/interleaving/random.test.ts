import fc from 'fast-check';
import { describe, it, vi } from 'vitest';
import { judgeRest, judgeSweep } from './at-rest.ts';
import { NEVER_MENU, WINDOW_MENU, versionedMenu } from './menus.ts';
import { play, scheduleOf } from './schedule.ts';
import { EFFORT, simulateTime } from './simulation.ts';
import { STARTS, startOf } from './starts.ts';
import { judgeWindow } from './window.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('./seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('./seeded-random.ts')),
}));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: async () => undefined,
}));

const RUNS = 400;

const WORLDS = {
  never: { menu: NEVER_MENU, starts: STARTS.never },
  versioned: { menu: versionedMenu(4), starts: STARTS.versioned },
} as const;

describe('two or three gateways over one store, in any order of their calls, with crashes and lost answers', () => {
  simulateTime();

  it.each(['never', 'versioned'] as const)(
    'keep the promises in a bucket that is %s',
    async (world) => {
      await fc.assert(
        fc.asyncProperty(scheduleOf(WORLDS[world]), async (schedule) => {
          const run = await play(schedule, { start: await startOf(world, schedule.start) });
          const place = { key: 'k', mode: world === 'never' ? 'never' : 'enabled' } as const;
          await judgeRest(run, place);
          await judgeSweep(run, place);
        }),
        { numRuns: RUNS * EFFORT },
      );
    },
    300_000 * EFFORT,
  );

  it(
    'lose no acknowledged version to plain PUTs that began before versioning was enabled',
    async () => {
      const starts = ['absent', 'inline', 'link over null', 'marker'];
      await fc.assert(
        fc.asyncProperty(scheduleOf({ menu: WINDOW_MENU, starts }), async (schedule) => {
          const start = await startOf('versioned', schedule.start);
          const run = await play(schedule, { start, versionedSince: start.now, lax: true });
          await judgeWindow(run, start.now);
        }),
        { numRuns: RUNS * EFFORT },
      );
    },
    300_000 * EFFORT,
  );
});
