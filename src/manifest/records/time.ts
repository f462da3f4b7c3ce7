import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The time of one process; tests give each gateway one that is skewed, steps or stands still. Durations in
 * milliseconds.
 */
export interface Time {
  /** Milliseconds since the epoch, as the machine believes: may step either way. */
  readonly now: () => number;
  /** Milliseconds since some moment, whole or not: never goes back. */
  readonly monotonic: () => number;
  /** @throws the signal's AbortError */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A signal that is aborted after so long. */
  readonly timeout: (ms: number) => AbortSignal;
  /** Runs `work` after so long, unless what it returns is called before. */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** What this machine says. */
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
