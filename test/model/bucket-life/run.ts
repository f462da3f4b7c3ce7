import type { Fate, Waiting } from './gate.ts';
import { type Process, TTL, World, quiet } from './world.ts';

/** What clients do at the beginning; what they do next hangs on what they are told. */
export interface Scenario {
  readonly name: string;
  begin(world: World): void;
  /** What begins when the first process has come to wait for time: a DeleteBucket has set its mark. */
  whenAsleep?(world: World): void;
  /** Faults of these kinds may happen, as many as the run has budget for. */
  readonly faults?: readonly ('crash' | Fate)[];
  /** How far a process's wall clock may be set. Milliseconds. */
  readonly steps?: readonly number[];
}

/** One thing that can happen next. */
interface Action {
  readonly what: string;
  readonly isFault?: boolean;
  act(): void;
}

/** Longer than any run is. */
const MAX_STEPS = 400;
/** Time that may pass while calls are on their way. Milliseconds. */
const JUMPS = [TTL + 100, 61_500];
const SUSPENDED_MS = 5000;

/** Which of the possible actions is taken at a step; 0 is what happens without anybody's ado. */
type Choose = (options: number, step: number) => number;

export interface Run {
  /** Number of possible actions at each step. */
  readonly options: readonly number[];
  readonly trace: readonly string[];
  readonly wrong: readonly string[];
}

/** Runs a scenario to its end by one schedule. */
export interface Bounds {
  readonly faults: number;
  /** False: nothing but calls that are held up. */
  readonly clocks: boolean;
}

export async function runOnce(
  scenario: Scenario,
  { choose, ...bounds }: Bounds & { readonly choose: Choose },
): Promise<Run> {
  const world = await World.open();
  const { gate } = world;
  const [options, trace]: [number[], string[]] = [[], []];
  const budget: { -readonly [K in keyof Budget]: Budget[K] } = { ...bounds, once: new Set<string>() };
  scenario.begin(world);
  await quiet(gate);
  let hasSlept = false;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (!hasSlept && world.processes.some(({ time }) => time.sleepers > 0 && time.isAsleep)) {
      hasSlept = true;
      scenario.whenAsleep?.(world);
      await quiet(gate);
    }
    const actions = actionsOf(world, scenario, budget);
    if (actions.length === 0) break;
    const chosen = Math.min(choose(actions.length, step), actions.length - 1);
    const action = actions[chosen] as Action;
    options.push(actions.length);
    trace.push(action.what);
    if (action.isFault === true) budget.faults -= 1;
    action.act();
    await quiet(gate);
  }
  return { options, trace, wrong: trace.length === MAX_STEPS ? ['does not end'] : await world.judge() };
}

interface Budget extends Bounds {
  /** What may happen once, and has. */
  readonly once: Set<string>;
}

function actionsOf(world: World, scenario: Scenario, budget: Budget): Action[] {
  const { gate, processes } = world;
  const held = gate.waiting.filter(({ isHeld }) => isHeld);
  const free = gate.waiting.filter(({ isHeld }) => !isHeld);
  const pass = (waiting: Waiting): Action => ({ what: waiting.what, act: () => waiting.let('pass') });
  const isAsleep = free.length === 0 && processes.some(({ name, time }) => !gate.isDead(name) && time.sleepers > 0);
  const lands = gate.late.map(
    (land): Action => ({
      what: 'what was late lands',
      act: () => {
        gate.late = gate.late.filter((other) => other !== land);
        void land();
      },
    }),
  );
  const holds = free.map(
    (waiting): Action => ({ what: `held: ${waiting.what}`, act: () => void (waiting.isHeld = true) }),
  );
  const faults = budget.faults > 0 ? gate.waiting.flatMap((waiting) => faultsOf(world, waiting, scenario)) : [];
  return [
    ...free.map(pass),
    ...(isAsleep ? [{ what: 'time passes', act: () => pastAll(processes, TTL + 100) }] : []),
    ...held.map(pass),
    ...lands,
    ...(gate.waiting.length === 0 || !budget.clocks ? [] : clocksOf(world, scenario, budget)),
    ...holds,
    ...faults,
  ];
}

/** Monotonic clocks run alike on all machines. */
function pastAll(processes: readonly Process[], ms: number): void {
  for (const { time } of processes) time.advance(ms);
}

function clocksOf({ processes, gate }: World, { steps = [] }: Scenario, { once }: Budget): Action[] {
  const offer = (what: string, act: () => void): Action[] =>
    once.has(what)
      ? []
      : [
          {
            what,
            act: () => {
              once.add(what);
              act();
            },
          },
        ];
  const living = processes.filter(({ name }) => !gate.isDead(name));
  const jumps = JUMPS.flatMap((ms) => offer(`${ms} ms pass`, () => pastAll(processes, ms)));
  // No clock of a machine tells how long it was suspended when somebody sets it back at the same time.
  const isSet = [...once].some((what) => what.includes('is set'));
  const wasSuspended = [...once].some((what) => what.includes('is suspended'));
  const sets = wasSuspended
    ? []
    : living.flatMap(({ name, time }) =>
        steps.flatMap((ms) => offer(`${name}'s clock is set by ${ms} ms`, () => time.setWall(ms))),
      );
  const suspends = isSet
    ? []
    : living.flatMap((suspended) =>
        offer(`${suspended.name} is suspended`, () => {
          pastAll(
            processes.filter((other) => other !== suspended),
            SUSPENDED_MS,
          );
          suspended.time.setWall(SUSPENDED_MS);
        }),
      );
  return [...jumps, ...sets, ...suspends];
}

function faultsOf({ gate }: World, waiting: Waiting, { faults = [] }: Scenario): Action[] {
  return faults.flatMap((fault): Action[] => {
    if (fault === 'crash') {
      return [
        {
          what: `${waiting.process} dies before ${waiting.what}`,
          isFault: true,
          act: () => gate.kill(waiting.process),
        },
      ];
    }
    return waiting.isChange
      ? [{ what: `${fault}: ${waiting.what}`, isFault: true, act: () => waiting.let(fault) }]
      : [];
  });
}
