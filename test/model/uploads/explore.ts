import type { Fate, Waiting } from '../bucket-life/gate.ts';
import { quiet } from '../bucket-life/world.ts';
import { World } from './world.ts';

export interface Scenario {
  readonly name: string;
  readonly begin: (world: World) => void;
  /** What begins when everything that began first has ended, or will never. */
  readonly then?: (world: World) => void;
  /**
   * What may begin once, at any time. What is on its way then stays there until all else has come to its end, however
   * long that takes by the clocks.
   */
  readonly meanwhile?: (world: World) => void;
}

type Fault = Fate | 'crash';

interface Run {
  readonly options: readonly number[];
  readonly trace: readonly string[];
  readonly wrong: readonly string[];
}

interface Explored {
  readonly runs: number;
  readonly found: readonly string[];
}

const FAULTS: readonly Fault[] = ['crash', 'loseAnswer', 'loseRequest', 'late'];
const MAX_STEPS = 200;

/** All schedules with at most so many departures from first come, first served, each run from its beginning. */
export async function explore(
  scenario: Scenario,
  { departures, faults }: { readonly departures: number; readonly faults: number },
): Promise<Explored> {
  let runs = 0;
  const open: (readonly (readonly [step: number, choice: number])[])[] = [[]];
  for (let plan = open.pop(); plan !== undefined; plan = open.pop()) {
    const choices = new Map(plan);
    const { options, trace, wrong } = await runOnce(scenario, (step) => choices.get(step) ?? 0, faults);
    runs += 1;
    if (wrong.length > 0) return { runs, found: [...trace, ...wrong] };
    if (plan.length === departures) continue;
    for (let step = (plan.at(-1)?.[0] ?? -1) + 1; step < options.length; step += 1) {
      for (let choice = 1; choice < (options[step] ?? 0); choice += 1) open.push([...plan, [step, choice]]);
    }
  }
  return { runs, found: [] };
}

interface Action {
  readonly what: string;
  readonly fault?: Fault;
  readonly act: () => void;
}

async function runOnce(scenario: Scenario, choose: (step: number) => number, most: number): Promise<Run> {
  const world = await World.open();
  const [options, trace, faults]: [number[], string[], Fault[]] = [[], [], []];
  scenario.begin(world);
  await quiet(world.gate);
  let [next, meanwhile] = [scenario.then, scenario.meanwhile];
  const overtake = (): Action[] => {
    const begin = meanwhile;
    if (begin === undefined) return [];
    const hold = (): void => {
      meanwhile = undefined;
      for (const call of world.gate.waiting) call.isHeld = true;
      begin(world);
    };
    return [{ what: 'all that is on its way takes long', act: hold }];
  };
  for (let step = 1; step < MAX_STEPS; step += 1) {
    world.step = step;
    // Who has crashed tells nothing any more.
    const isOver = world.gate.waiting.length === 0 || world.told.every(({ outcome }) => outcome !== 'none');
    if (next !== undefined && isOver) {
      next(world);
      next = undefined;
      await quiet(world.gate);
    }
    const calls = actionsOf(world, faults.length < most);
    if (calls.length === 0) break;
    const actions = [...calls, ...overtake()];
    const action = actions[Math.min(choose(step - 1), actions.length - 1)] as Action;
    options.push(actions.length);
    trace.push(action.what);
    if (action.fault !== undefined) faults.push(action.fault);
    if (action.fault !== undefined && / system\/[cu]\//.test(action.what)) world.recordStayed = true;
    action.act();
    await quiet(world.gate);
  }
  return { options, trace, wrong: await world.judge(faults) };
}

function actionsOf({ gate }: World, mayFail: boolean): Action[] {
  const { late } = gate;
  const waiting = gate.waiting.toSorted((one, other) => Number(one.isHeld) - Number(other.isHeld));
  const pass = waiting.map((call): Action => ({ what: call.what, act: () => call.let('pass') }));
  const land = late.map(
    (send): Action => ({
      what: 'what was late lands',
      act: () => {
        gate.late = gate.late.filter((other) => other !== send);
        void send();
      },
    }),
  );
  const failures = mayFail ? waiting.flatMap((call) => faultsOf(call, (process) => gate.kill(process))) : [];
  return [...pass, ...land, ...failures];
}

function faultsOf(call: Waiting, kill: (process: string) => void): Action[] {
  return FAULTS.filter((fault) => fault === 'crash' || call.isChange).map((fault) => ({
    what: `${fault}: ${call.what}`,
    fault,
    act: () => (fault === 'crash' ? kill(call.process) : call.let(fault)),
  }));
}
