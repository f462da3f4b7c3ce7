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
  readonly what: string;
  readonly world: 'never' | 'versioned';
  readonly start: string;
  /** Operations of each client, one after the other. */
  readonly clients: readonly (readonly Dish[])[];
  readonly faults: number;
  /** Writes of versions only: conditional ones are judged by what stands below them at the end. */
  readonly ordered?: true;
}

/** Meetings in which something went wrong once: gone through to the end, always. */
const MEETINGS: readonly Meeting[] = [
  {
    what: 'a DELETE whose answer was lost leaves alone what was put since',
    world: 'never',
    start: 'inline',
    clients: [[{ kind: 'put', mode: 'never' }], [{ kind: 'delete', mode: 'never' }]],
    faults: 1,
  },
  {
    what: 'an ACL of the null version goes where the null version has moved to',
    world: 'versioned',
    start: 'link over null',
    clients: [
      [
        { kind: 'put', mode: 'suspended' },
        { kind: 'put', mode: 'suspended', streamed: true },
      ],
      [{ kind: 'acl', mode: 'enabled', version: 'null' }],
    ],
    faults: 0,
  },
  {
    what: 'an ACL whose answer was lost is said of one version',
    world: 'versioned',
    start: 'null that came back',
    clients: [[{ kind: 'put', mode: 'enabled', streamed: true }], [{ kind: 'acl', mode: 'enabled' }]],
    faults: 1,
  },
  {
    what: 'a version and a null version of the same microsecond keep their order',
    world: 'versioned',
    start: 'link',
    clients: [[{ kind: 'put', mode: 'enabled' }], [{ kind: 'put', mode: 'suspended' }]],
    faults: 0,
  },
  {
    what: 'a lock is not acknowledged on a version whose deletion was finished by a later PUT',
    world: 'versioned',
    start: 'inline over link',
    clients: [
      [
        { kind: 'deleteVersion', mode: 'enabled', version: 0 },
        { kind: 'put', mode: 'enabled' },
      ],
      [{ kind: 'hold', mode: 'enabled', version: 0 }],
    ],
    faults: 0,
  },
  {
    what: 'a lock is not acknowledged on the last version of a key that is gone',
    world: 'versioned',
    start: 'link',
    clients: [
      [{ kind: 'deleteVersion', mode: 'enabled', version: 0 }],
      [{ kind: 'hold', mode: 'enabled', version: 0 }],
    ],
    faults: 0,
  },
  {
    what: 'a PUT that a conditional one overtook does not come below it',
    world: 'versioned',
    start: 'link over link',
    clients: [
      [{ kind: 'put', mode: 'enabled', streamed: true }],
      [{ kind: 'put', mode: 'enabled', condition: 'current' }],
    ],
    faults: 0,
    ordered: true,
  },
  {
    what: 'a DELETE that a conditional PUT overtook does not come below it',
    world: 'versioned',
    start: 'link',
    clients: [[{ kind: 'delete', mode: 'enabled' }], [{ kind: 'put', mode: 'enabled', condition: 'current' }]],
    faults: 0,
    ordered: true,
  },
  {
    what: 'a Complete that a conditional PUT overtook does not come below it, nor below what came on top of that',
    world: 'versioned',
    start: 'link',
    clients: [
      [{ kind: 'complete', mode: 'enabled' }],
      [
        { kind: 'put', mode: 'enabled', condition: 'current' },
        { kind: 'put', mode: 'enabled' },
      ],
    ],
    faults: 0,
    ordered: true,
  },
  {
    what: 'a PUT that overtakes a marker with If-None-Match keeps others from coming in between',
    world: 'versioned',
    start: 'marker',
    clients: [[{ kind: 'put', mode: 'enabled' }], [{ kind: 'put', mode: 'enabled', condition: 'absent' }]],
    faults: 0,
    ordered: true,
  },
  {
    what: 'a head that may have been written names something, though its answer is lost and its client gone',
    world: 'versioned',
    start: 'link',
    clients: [[{ kind: 'put', mode: 'enabled' }]],
    faults: 2,
  },
  {
    what: 'so does that of a streamed body in a suspended bucket',
    world: 'versioned',
    start: 'inline over link',
    clients: [[{ kind: 'put', mode: 'suspended', streamed: true }]],
    faults: 2,
  },
];

describe('meetings that went wrong once', () => {
  simulateTime();

  it.each(MEETINGS)(
    '$what',
    async ({ world, start, clients, faults, ordered }) => {
      const plan = {
        start: await startOf(world, start),
        clients: clients.map((dishes) => ({ skew: 0, operations: dishes.map((dish) => ({ ...dish, key: 'k' })) })),
      };
      const place = { key: 'k', mode: world === 'never' ? 'never' : 'enabled' } as const;
      const result = await explore(plan, {
        faults,
        maxRuns: 20_000,
        atEnd: async (run) => {
          if (ordered === true) judgeOrder(run, 'k');
          await judgeRest(run, place);
          await judgeSweep(run, place);
        },
      });
      expect(result.complete).toBe(true);
    },
    300_000,
  );
});
