import { describe, expect, test } from 'vitest';
import { type Exploration, explore, sample } from './explore.ts';
import { SCENARIOS } from './scenarios.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
/** With 2000 every schedule in which two calls are held up is run. */
const RUNS = Number(process.env['BUCKET_LIFE_RUNS'] ?? 150);

function traceOf({ found }: Exploration): readonly string[] {
  return found === undefined ? [] : [...found.trace, ...found.wrong];
}

describe.each(SCENARIOS)(
  'the life of a bucket: $name',
  (scenario) => {
    test('every schedule with one departure and one fault', async () => {
      const outcome = await explore(scenario, { departures: 1, faults: 1, clocks: true, maxRuns: 100_000 });
      expect(traceOf(outcome)).toEqual([]);
      expect(outcome.runs).toBeGreaterThan(20);
    });

    test('schedules in which two calls are held up', async () => {
      expect(traceOf(await explore(scenario, { departures: 2, faults: 0, clocks: false, maxRuns: RUNS * 10 }))).toEqual(
        [],
      );
    });

    test('schedules by chance, with two faults', async () => {
      expect(traceOf(await sample(scenario, { seed: SEED, runs: RUNS, faults: 2 }))).toEqual([]);
    });
  },
  120_000,
);
