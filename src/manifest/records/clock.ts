import { randomText } from '../../observe/random-id.ts';
import { SYSTEM_TIME } from './time.ts';

/** Hybrid clock: microseconds since the epoch, never twice the same in one process, never behind `floor`. */
export interface Clock {
  /** The next seq, greater than every seq given out before and than `floor`. */
  next(floor?: number): number;
}

export function createClock(now: () => number = SYSTEM_TIME.now): Clock {
  let last = 0;
  return {
    next(floor = 0) {
      last = Math.max(now() * 1000, last + 1, floor + 1);
      return last;
    },
  };
}

/** S3 times are whole seconds, so that header and XML agree. Milliseconds since the epoch. */
export function mtimeOfSeq(seq: number): number {
  return Math.floor(seq / 1_000_000) * 1000;
}

/** Proof of authorship of one head write: 64 random bits. */
export function newNonce(): string {
  return randomText(8);
}
