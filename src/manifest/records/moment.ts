import type { Time } from './time.ts';

/** A moment by both clocks of a machine: one may be set, the other may stand still while the machine sleeps. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

type Clocks = Pick<Time, 'now' | 'monotonic'>;

export function momentNow({ now, monotonic }: Clocks): Moment {
  return { wall: now(), monotonic: monotonic() };
}

/**
 * Milliseconds since then by whichever clock says more: never less than have passed, unless the wall clock was set back
 * while the machine slept.
 */
export function elapsedSince({ wall, monotonic }: Moment, clocks: Clocks): number {
  return Math.max(clocks.now() - wall, clocks.monotonic() - monotonic);
}
