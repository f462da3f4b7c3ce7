import { type Bounds, type Run, type Scenario, runOnce } from './run.ts';

export interface Exploration {
  readonly runs: number;
  /** The first run that went wrong. */
  readonly found?: Run;
}

/**
 * All schedules that depart at most `departures` times from what happens by itself, with at most `faults` faults, until
 * `maxRuns`. Each is run from the beginning: the real code has no state that could be put back.
 */
export async function explore(
  scenario: Scenario,
  { departures, maxRuns, ...bounds }: Bounds & { departures: number; maxRuns: number },
): Promise<Exploration> {
  let runs = 0;
  const open: (readonly (readonly [step: number, choice: number])[])[] = [[]];
  for (let plan = open.shift(); plan !== undefined && runs < maxRuns; plan = open.shift()) {
    const choices = new Map(plan);
    const run = await runOnce(scenario, { choose: (_options, step) => choices.get(step) ?? 0, ...bounds });
    runs += 1;
    if (run.wrong.length > 0) return { runs, found: run };
    if (plan.length === departures) continue;
    const from = (plan.at(-1)?.[0] ?? -1) + 1;
    for (let step = from; step < run.options.length; step += 1) {
      for (let choice = 1; choice < (run.options[step] ?? 0); choice += 1) open.push([...plan, [step, choice]]);
    }
  }
  return { runs };
}

/** Schedules drawn by a seed, each with as many departures as come. */
export async function sample(
  scenario: Scenario,
  { seed, runs, faults }: { seed: number; runs: number; faults: number },
): Promise<Exploration> {
  for (let run = 0; run < runs; run += 1) {
    const random = randomOf(seed * 1_000_003 + run);
    const choose = (options: number): number => (random() < 0.6 ? 0 : Math.floor(random() * options));
    const outcome = await runOnce(scenario, { choose, faults, clocks: true });
    if (outcome.wrong.length > 0) return { runs: run + 1, found: outcome };
  }
  return { runs };
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
