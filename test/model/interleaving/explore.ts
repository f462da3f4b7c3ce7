import { Run } from './run.ts';
import type { RunPlan } from './run-plan.ts';
import type { Step } from './steps.ts';

interface ExploreOptions {
  /** Crashes, and answers and requests lost, together. */
  readonly faults: number;
  /** Most runs; what is left then is not looked at. */
  readonly maxRuns: number;
  /** Looks at the end of a run that nobody has seen before. */
  readonly atEnd: (run: Run) => Promise<void>;
}

export interface Explored {
  readonly runs: number;
  readonly states: number;
  readonly ends: number;
  /** Nothing was left out. */
  readonly complete: boolean;
}

/**
 * Goes through every order of the clients' backend calls, with everything that may go wrong within
 * the budget. Runs cannot be taken back, so each branch begins anew; one that comes to a state that
 * was met before ends there.
 */
export async function explore(plan: RunPlan, options: ExploreOptions): Promise<Explored> {
  const search: Search = { met: new Set(), ends: new Set(), branches: [[]] };
  let runs = 0;
  const result = (complete: boolean): Explored => ({ runs, states: search.met.size, ends: search.ends.size, complete });
  for (let path = search.branches.pop(); path !== undefined; path = search.branches.pop()) {
    if (runs >= options.maxRuns) return result(false);
    runs += 1;
    await follow(plan, options, { ...search, path });
  }
  return result(true);
}

interface Search {
  readonly met: Set<string>;
  readonly ends: Set<string>;
  /** Ways not gone yet: which step to take, from the first on. */
  readonly branches: (readonly number[])[];
}

/** Along the path first, then on by the first way, until the end or a known state. The other ways become branches. */
async function follow(
  plan: RunPlan,
  { faults, atEnd }: ExploreOptions,
  search: Search & { readonly path: readonly number[] },
): Promise<void> {
  const { path, met, ends, branches } = search;
  const run = await Run.begin(plan);
  const way: number[] = [];
  for (let left = faults; ; ) {
    const { regular, faults: wrong } = run.steps();
    const steps: readonly Step[] = left > 0 ? [...regular, ...wrong] : regular;
    const given = path[way.length];
    if (given === undefined) {
      const state = `${await run.fingerprint()} ${left}`;
      if (met.has(state)) return;
      met.add(state);
      for (let other = steps.length - 1; other > 0; other--) branches.push([...way, other]);
      // A late call that is still under way may never arrive: that is an end as well.
      if (run.isOver && isNew(ends, await run.world.fingerprint())) await atEnd(run);
    }
    const step = steps[given ?? 0];
    if (step === undefined) return;
    if (wrong.includes(step)) left -= 1;
    await run.take(step);
    way.push(given ?? 0);
  }
}

function isNew(known: Set<string>, text: string): boolean {
  if (known.has(text)) return false;
  known.add(text);
  return true;
}
