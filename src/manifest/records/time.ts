import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Clocks and timers of one process. Tests give each gateway a clock of its own that is skewed, steps or stands still.
 * Durations in milliseconds.
 */
export interface Time {
  /** Milliseconds since the epoch by the machine's clock, which may step forward and back. */
  readonly now: () => number;
  /** Milliseconds since an arbitrary moment, with fractions; never goes back. */
  readonly monotonic: () => number;
  /** @throws the signal's AbortError */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A signal that aborts after `ms`. */
  readonly timeout: (ms: number) => AbortSignal;
  /** Runs `work` after `ms`. The function that it returns cancels that. */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** The clocks and timers of this machine. */
export const SYSTEM_TIME: Time = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  timeout: (ms) => AbortSignal.timeout(ms),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** The time of the process that serves a backend. */
export function timeOf({ time }: { readonly time?: Time }): Time {
  return time ?? SYSTEM_TIME;
}
