import { describe, expect, test } from 'vitest';
import { type Scenario, explore } from './explore.ts';

/**
 * Parts cost two calls and look at nothing, and Complete writes its note beside the removal of the upload's record: so
 * what they meet is gone through in every order of calls.
 */
const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a part, and a Complete in another process',
    begin: (world) => {
      world.begin('part', world.a, 'other');
      world.begin('complete', world.b);
    },
  },
  {
    name: 'a part, and an Abort in another process',
    begin: (world) => {
      world.begin('part', world.a, 'other');
      world.begin('abort', world.b);
    },
  },
  {
    name: 'the same number twice',
    begin: (world) => {
      world.begin('part', world.a, 'other');
      world.begin('part', world.b, 'third');
    },
  },
  {
    name: 'the same number twice, and an Abort',
    begin: (world) => {
      world.begin('part', world.a, 'other');
      world.begin('part', world.b, 'third');
      world.begin('abort', world.b);
    },
  },
  {
    name: 'a part of a process that has not heard of the Complete',
    begin: (world) => void world.begin('complete', world.b),
    then: (world) => void world.begin('part', world.a, 'other'),
  },
  {
    name: 'a part of a process that has not heard of the Abort',
    begin: (world) => void world.begin('abort', world.b),
    then: (world) => void world.begin('part', world.a, 'other'),
  },
  {
    name: 'a Complete, and the same in another process',
    begin: (world) => {
      world.begin('complete', world.a);
      world.begin('complete', world.b);
    },
  },
  {
    name: 'a Complete, and the same again, whatever became of the first',
    begin: (world) => void world.begin('complete', world.a),
    then: (world) => void world.begin('complete', world.b),
  },
  {
    name: 'a Complete and an Abort, and then the Complete again',
    begin: (world) => {
      world.begin('complete', world.a);
      world.begin('abort', world.b);
    },
    then: (world) => void world.begin('complete', world.b),
  },
  {
    name: 'a part, a Complete and an Abort',
    begin: (world) => {
      world.begin('part', world.a, 'other');
      world.begin('complete', world.b);
      world.begin('abort', world.a);
    },
  },
];

const DEPARTURES = Number(process.env['PARTS_DEPARTURES'] ?? 2);

describe.each(SCENARIOS)('an upload: $name', (scenario) => {
  test('every order of calls with as many departures from first come, first served', async () => {
    const { runs, found } = await explore(scenario, {
      departures: DEPARTURES,
      faults: 0,
    });
    expect(found).toEqual([]);
    expect(runs).toBeGreaterThan(0);
  }, 600_000);

  test('every crash, lost answer, lost request and late request, with a departure beside each', async () => {
    const { runs, found } = await explore(scenario, {
      departures: DEPARTURES,
      faults: 1,
    });
    expect(found).toEqual([]);
    expect(runs).toBeGreaterThan(1);
  }, 600_000);
});
