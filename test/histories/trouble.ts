import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { Random } from '../support/random.ts';

const MINUTE = 60_000;
/** What the clocks of the replicas may be off by; the limit of the service for signatures is 15 minutes. */
const SKEWS = [-10 * MINUTE, -MINUTE, -3000, 0, 0, 3000, MINUTE, 10 * MINUTE];

interface Trouble {
  readonly weight: number;
  readonly make: (fleet: Fleet, index: number, random: Random) => Promise<void>;
}

const TROUBLES: readonly Trouble[] = [
  { weight: 2, make: (fleet, index) => fleet.kill(index) },
  { weight: 3, make: (fleet, index, random) => fleet.pause(index, 100 + random.below(3000)) },
  { weight: 4, make: (fleet, index, random) => fleet.skew(index, random.pick(SKEWS)) },
  { weight: 1, make: (fleet, index) => fleet.restart(index) },
];

/** Something bad happens to a replica, now and then, until the signal says that it is enough. */
export async function makeTrouble(fleet: Fleet, random: Random, signal: AbortSignal): Promise<void> {
  await again(
    signal,
    () => 300 + random.below(1500),
    () => random.weighted(TROUBLES).make(fleet, random.below(fleet.ports.length), random),
  );
}

/** Replicas are restarted one after the other, as an orchestrator does it. */
export async function rollOver(fleet: Fleet, signal: AbortSignal): Promise<void> {
  let turn = 0;
  await again(
    signal,
    () => 500,
    () => fleet.restart(turn++ % fleet.ports.length),
  );
}

async function again(signal: AbortSignal, waitMs: () => number, work: () => Promise<void>): Promise<void> {
  const enough = (): boolean => signal.aborted;
  while (!enough()) {
    await sleep(waitMs(), undefined, { signal }).catch(() => undefined);
    if (!enough()) await work();
  }
}
