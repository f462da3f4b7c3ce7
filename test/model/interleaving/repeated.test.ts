import { describe, expect, it, vi } from 'vitest';
import { judgeRest, judgeSweep } from './at-rest.ts';
import { explore } from './explore.ts';
import type { Dish } from './menus.ts';
import { judgeOrder } from './order-at-rest.ts';
import { simulateTime } from './simulation.ts';
import { startOf } from './starts.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('./seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('./seeded-random.ts')),
}));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: async () => undefined,
}));

interface Meeting {
  readonly world: 'never' | 'versioned';
  readonly start: string;
  readonly clients: readonly (readonly Dish[])[];
  readonly faults: number;
  readonly most: number;
}

const NEVER = { mode: 'never' } as const;
const AGAIN = { kind: 'complete', repeats: 'A1' } as const;

const E = { mode: 'enabled' } as const;
const S = { mode: 'suspended' } as const;

const MEETINGS: Readonly<Record<string, Meeting>> = {
  'sent again, and a PUT that makes the object': {
    world: 'never',
    start: 'absent',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...NEVER },
        { ...AGAIN, ...NEVER },
      ],
      [{ kind: 'put', ...NEVER, condition: 'absent' }],
    ],
  },
  'sent again, and a PUT on condition': {
    world: 'never',
    start: 'inline',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...NEVER },
        { ...AGAIN, ...NEVER },
      ],
      [{ kind: 'put', ...NEVER, condition: 'current' }],
    ],
  },
  'sent again, a DELETE on condition and a PUT that makes the object': {
    world: 'never',
    start: 'inline',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...NEVER },
        { ...AGAIN, ...NEVER },
      ],
      [
        { kind: 'delete', ...NEVER, condition: 'current' },
        { kind: 'put', ...NEVER, condition: 'absent' },
      ],
    ],
  },
  'sent again, and a plain PUT': {
    world: 'never',
    start: 'inline',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...NEVER },
        { ...AGAIN, ...NEVER },
      ],
      [{ kind: 'put', ...NEVER }],
    ],
  },
  'sent again, and a DELETE': {
    world: 'never',
    start: 'inline',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...NEVER },
        { ...AGAIN, ...NEVER },
      ],
      [{ kind: 'delete', ...NEVER }],
    ],
  },
  'sent again where nothing was, and a DELETE': {
    world: 'never',
    start: 'absent',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...NEVER },
        { ...AGAIN, ...NEVER },
      ],
      [{ kind: 'delete', ...NEVER }],
    ],
  },
  'sent twice at once, and a PUT that makes the object': {
    world: 'never',
    start: 'absent',
    faults: 0,
    most: 100_000,
    clients: [
      [{ kind: 'complete', ...NEVER }],
      [{ ...AGAIN, ...NEVER }],
      [{ kind: 'put', ...NEVER, condition: 'absent' }],
    ],
  },
  'sent again, and a PUT on condition above it': {
    world: 'versioned',
    start: 'link',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...E },
        { ...AGAIN, ...E },
      ],
      [{ kind: 'put', ...E, condition: 'current' }],
    ],
  },
  'sent again, suspended, and a PUT that makes the object': {
    world: 'versioned',
    start: 'marker',
    faults: 1,
    most: 100_000,
    clients: [
      [
        { kind: 'complete', ...S },
        { ...AGAIN, ...S },
      ],
      [{ kind: 'put', ...S, condition: 'absent' }],
    ],
  },
};

describe('a Complete', () => {
  simulateTime();

  it.each(Object.entries(MEETINGS))(
    '%s',
    async (_what, { world, start, clients, faults, most }) => {
      const plan = {
        start: await startOf(world, start),
        clients: clients.map((dishes) => ({ skew: 0, operations: dishes.map((dish) => ({ ...dish, key: 'k' })) })),
      };
      const place = { key: 'k', mode: world === 'never' ? 'never' : 'enabled' } as const;
      const result = await explore(plan, {
        faults,
        maxRuns: most,
        atEnd: async (run) => {
          if (world === 'versioned') judgeOrder(run, 'k');
          await judgeRest(run, place);
          await judgeSweep(run, place);
        },
      });
      expect(result.complete).toBe(true);
    },
    600_000,
  );
});
