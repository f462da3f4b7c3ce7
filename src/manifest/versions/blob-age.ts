import type { Bucket } from '../records/bucket.ts';
import { type Moment, elapsedSince, momentNow } from '../records/moment.ts';
import { timeOf } from '../records/time.ts';
import type { ObjectsContext } from './object-context.ts';

/**
 * A blob that is older than this is renewed before a head names it, because the sweeper and Abort go by age.
 * Milliseconds.
 */
const RENEW_AFTER_MS = 5 * 60_000;
/** Older than this no head may name it at all: the protocol's D. Milliseconds. */
const TOO_OLD_MS = 15 * 60_000;

/**
 * Age of a blob that a head is about to name for the first time, by whichever clock of the machine says more. What
 * remains is a process that stands still between the question and the bytes on the wire, for as long as the sweeper's
 * grace.
 */
export class BlobAge {
  readonly #clocks: { readonly now: () => number; readonly monotonic: () => number };
  #since: Moment | undefined;

  constructor({ now }: Pick<ObjectsContext, 'now'>, { home }: Bucket) {
    this.#clocks = { now, monotonic: timeOf(home).monotonic };
  }

  /** It has just been written, or touched. */
  begin(): void {
    this.#since = momentNow(this.#clocks);
  }

  get needsRenewal(): boolean {
    return this.#elapsed() >= RENEW_AFTER_MS;
  }

  /** Asked right before the send: the process stood still, and must begin again. */
  get isTooOld(): boolean {
    return this.#elapsed() > TOO_OLD_MS;
  }

  #elapsed(): number {
    return this.#since === undefined ? 0 : elapsedSince(this.#since, this.#clocks);
  }
}
