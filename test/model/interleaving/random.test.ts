import fc from 'fast-check';
import { describe, it, vi } from 'vitest';
import { judgeRest } from './at-rest.ts';
import { play, scheduleOf } from './schedule.ts';
import { EFFORT, simulateTime } from './simulation.ts';
import { startOf } from './starts.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('./seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({ ...(await original<object>()), ...(await import('./seeded-random.ts')) }));
vi.mock('node:timers/promises', async (original) => ({ ...(await original<object>()), setTimeout: async () => undefined }));

const RUNS = 1500;

describe('two or three gateways over one store, in any order of their calls, with crashes and lost answers', () => {
  simulateTime();

  it.each(['never', 'versioned'] as const)('keep the promises in a bucket that is %s', async (world) => {
    await fc.assert(
      fc.asyncProperty(scheduleOf(world), async (schedule) => {
        const run = await play(schedule, await startOf(world, schedule.start));
        await judgeRest(run, { key: 'k', mode: world === 'never' ? 'never' : 'enabled' });
      }),
      { numRuns: RUNS * EFFORT },
    );
  }, 60_000 * EFFORT);
});
