const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 250;
const LARGEST_DELAY_MS = 15_000;
/** Ends of one worker within the window after which it is not the worker that is ill. */
const PER_WORKER = 6;

/** How soon a worker that ended is replaced: at once the first time, later and later when it happens often. */
export class Restarts {
  readonly #most: number;
  #ends: number[] = [];

  /** @param workers how many there are */
  constructor(workers: number) {
    this.#most = PER_WORKER * workers;
  }

  /**
   * A worker has ended.
   * @param now milliseconds @returns milliseconds to wait; undefined: too often, give up
   */
  next(now: number): number | undefined {
    this.#ends = [...this.#ends.filter((end) => now - end < WINDOW_MS), now];
    if (this.#ends.length > this.#most) return undefined;
    return Math.min(LARGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#ends.length - 1));
  }
}
