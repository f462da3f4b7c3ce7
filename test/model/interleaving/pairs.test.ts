import { describe, expect, it, vi } from 'vitest';
import { judgeRest, judgeSweep } from './at-rest.ts';
import { type Explored, explore } from './explore.ts';
import { NEVER_MENU, versionedMenu } from './menus.ts';
import { type Operation, describeOperation } from './operation.ts';
import { EFFORT, simulateTime } from './simulation.ts';
import type { Run } from './run.ts';
import { STARTS, startOf } from './starts.ts';
import { shuffled } from './shuffle.ts';
import { Violation } from './trace.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('./seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('./seeded-random.ts')),
}));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: async () => undefined,
}));

/** Runs of one scenario; nearly all end before. */
const MAX_RUNS = 3000;
/** Then it is time to think. */
const MAX_VIOLATIONS = 10;
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_121);
/** Clocks of the two: the second ahead, behind, the same. */
const SKEWS = [7000, -60_000, 0];

interface Scenario {
  readonly start: string;
  readonly skew: number;
  readonly operations: readonly [Operation, Operation];
}

function scenarios(world: 'never' | 'versioned'): Scenario[] {
  return STARTS[world].flatMap((start) => {
    const menu = (world === 'never' ? NEVER_MENU : versionedMenu(2)).map((dish) => ({ ...dish, key: 'k' }));
    const pairs = menu.flatMap((first, index) => menu.slice(index).map((second) => [first, second] as const));
    return pairs.flatMap((operations) => SKEWS.map((skew) => ({ start, skew, operations })));
  });
}

/** @returns what was looked at, or what must never be */
async function look(
  world: 'never' | 'versioned',
  { start, skew, operations }: Scenario,
): Promise<Explored | Violation> {
  const [first, second] = operations;
  const clients = [
    { skew: 0, operations: [first] },
    { skew, operations: [second] },
  ];
  const place = { key: 'k', mode: world === 'never' ? 'never' : 'enabled' } as const;
  const atEnd = async (run: Run): Promise<void> => {
    await judgeRest(run, place);
    await judgeSweep(run, place);
  };
  try {
    return await explore({ start: await startOf(world, start), clients }, { faults: 1, maxRuns: MAX_RUNS, atEnd });
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
}

/**
 * Scenarios in a fixed, mixed order until the runs are used up.
 * @returns what must never be: the shortest of each sort
 */
async function lookAtMany(world: 'never' | 'versioned', maxRuns: number): Promise<string> {
  const all = shuffled(scenarios(world), SEED);
  const found = new Map<string, { scenario: Scenario; violation: Violation }>();
  let [runs, count, cut, bad] = [0, 0, 0, 0];
  for (const scenario of all) {
    if (runs >= maxRuns || bad >= MAX_VIOLATIONS * EFFORT) break;
    const result = await look(world, scenario);
    count += 1;
    if (result instanceof Violation) {
      bad += 1;
      const sort = result.why.replaceAll(/[A-Z]\d+|[0-9a-f]{32}|\[.*\]|\n.*/g, '');
      const known = found.get(sort);
      if (known === undefined || result.steps.length < known.violation.steps.length) {
        found.set(sort, { scenario, violation: result });
      }
    } else {
      runs += result.runs;
      if (!result.complete) cut += 1;
    }
  }
  process.stdout.write(
    `${world}: ${count} of ${all.length} scenarios, ${runs} runs, ${cut} cut short, ${bad} violations of ${found.size} sorts\n`,
  );
  return [...found.values()].map(describeFinding).join('\n\n');
}

function describeFinding({
  scenario,
  violation,
}: {
  readonly scenario: Scenario;
  readonly violation: Violation;
}): string {
  const { start, skew, operations } = scenario;
  return `start "${start}", clock ${skew} ms, ${operations.map(describeOperation).join(' and ')}\n${violation.message}`;
}

describe('every order of the calls of two operations, with at most one crash or lost answer', () => {
  simulateTime();

  it(
    'keeps the promises in a bucket that never had versioning',
    async () => {
      expect(await lookAtMany('never', 4000 * EFFORT)).toBe('');
    },
    300_000 * EFFORT,
  );

  it(
    'keeps the promises in a bucket with versioning, enabled and suspended',
    async () => {
      expect(await lookAtMany('versioned', 12_000 * EFFORT)).toBe('');
    },
    600_000 * EFFORT,
  );
});
