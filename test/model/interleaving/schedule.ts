import fc from 'fast-check';
import type { Dish } from './menus.ts';
import type { Operation } from './operation.ts';
import { Run } from './run.ts';
import type { ClientPlan, RunPlan } from './run-plan.ts';
import type { Step } from './steps.ts';

/** What goes wrong at the n-th step. */
interface PlannedFault {
  readonly at: number;
  readonly kind: 'crash' | 'loseAnswer' | 'delay';
}

interface Schedule {
  readonly start: string;
  readonly clients: readonly ClientPlan[];
  /** Whose turn it is, step by step; behind the last, the call that has waited longest. */
  readonly turns: readonly number[];
  readonly faults: readonly PlannedFault[];
  /** Settling and tidying up run beside the requests. */
  readonly background: boolean;
  /** Calls that are late at the end arrive after all. */
  readonly lateArrive: boolean;
}

const MOST_STEPS = 60;
const SKEWS = [0, 0, 7_000, -60_000, 1];

interface ScheduleOptions {
  readonly menu: readonly Dish[];
  readonly starts: readonly string[];
}

export function scheduleOf({ menu, starts }: ScheduleOptions): fc.Arbitrary<Schedule> {
  const key = fc.constantFrom('k', 'k', 'k', 'k', 'l');
  const operation: fc.Arbitrary<Operation> = fc
    .record({ dish: fc.constantFrom(...menu), key })
    .map(({ dish, key: chosen }) => ({ ...dish, key: chosen }));
  const client = fc.record({
    skew: fc.constantFrom(...SKEWS),
    operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
  });
  return fc.record({
    start: fc.constantFrom(...starts),
    clients: fc.array(client, { minLength: 2, maxLength: 3 }),
    turns: fc.array(fc.nat(11), { maxLength: MOST_STEPS, size: 'max' }),
    faults: fc.array(fc.record({ at: fc.nat(MOST_STEPS / 2), kind: fc.constantFrom('crash', 'loseAnswer', 'delay') }), {
      maxLength: 3,
      size: 'max',
    }),
    background: fc.boolean(),
    lateArrive: fc.boolean(),
  });
}

/** Does what the schedule says. @throws Violation */
export async function play(schedule: Schedule, plan: Omit<RunPlan, 'clients' | 'background'>): Promise<Run> {
  const { clients, turns, faults, background, lateArrive } = schedule;
  const run = await Run.begin({ ...plan, clients, background });
  for (let n = 0; !run.isOver; n++) {
    await run.take(
      choose(
        run,
        turns[n],
        faults.find(({ at }) => at === n),
      ),
    );
  }
  if (!lateArrive) return run;
  for (let [step] = run.steps().regular; step !== undefined; [step] = run.steps().regular) await run.take(step);
  return run;
}

function choose(run: Run, turn: number | undefined, fault: PlannedFault | undefined): Step {
  const { regular, faults } = run.steps();
  const chosen = regular[(turn ?? 0) % regular.length];
  if (chosen === undefined) throw new Error('there is no step to take');
  if (fault === undefined) return chosen;
  const fitting = faults.filter(
    ({ kind }) => kind === fault.kind || (fault.kind === 'delay' && kind === 'loseRequest'),
  );
  return fitting[(turn ?? 0) % Math.max(fitting.length, 1)] ?? chosen;
}
