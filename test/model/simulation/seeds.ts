import { type PlanLimits, planOf } from './generate.ts';
import { type Plan, describePlan } from './plan.ts';
import { shrink } from './shrink.ts';
import { type SimulateOptions, type Simulated, simulate } from './simulate.ts';

interface Tally {
  readonly seeds: number;
  requests: number;
  calls: number;
  faults: number;
  undecided: number;
  /** Seeds that went wrong, with their shortest stories. */
  readonly found: { readonly seed: number; readonly story: string }[];
}

export interface SeedsOptions extends SimulateOptions, PlanLimits {
  readonly first: number;
  readonly seeds: number;
  /** Stop when so many went wrong. */
  readonly stopAfter?: number;
  readonly shrinking?: boolean;
}

export async function simulateSeeds({
  first,
  seeds,
  stopAfter = 1,
  shrinking = true,
  themes,
  without,
  ...options
}: SeedsOptions): Promise<Tally> {
  const tally: Tally = { seeds, requests: 0, calls: 0, faults: 0, undecided: 0, found: [] };
  for (let seed = first; seed < first + seeds && tally.found.length < stopAfter; seed++) {
    const plan = planOf(seed, { ...(themes && { themes }), ...(without && { without }) });
    const result = await simulate(plan, options);
    tally.requests += result.requests;
    tally.calls += result.calls;
    tally.faults += result.faults;
    tally.undecided += result.undecided.length;
    if (result.wrong.length > 0) {
      tally.found.push({ seed, story: shrinking ? await storyOf(plan, options) : (result.wrong[0] ?? '') });
    }
  }
  return tally;
}

async function storyOf(plan: Plan, options: SimulateOptions): Promise<string> {
  const least = await shrink(plan, async (smaller) => (await simulate(smaller, options)).wrong.length > 0);
  return tell(least, await simulate(least, options));
}

/** Plan, course and what was wrong, for people. */
function tell(plan: Plan, { wrong, trace }: Simulated): string {
  return [
    describePlan(plan),
    'came so:',
    ...trace.slice(0, 400).map((line) => `  ${line}`),
    'WRONG:',
    ...wrong.map((line) => `  ${line}`),
  ].join('\n');
}
