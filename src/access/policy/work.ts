/**
 * Steps of about ten nanoseconds for one request; further decisions of it (DeleteObjects has a thousand) bring some
 * more.
 */
const PER_REQUEST = 1_000_000;
const PER_DECISION = 20_000;

/** A decision would take longer than it may. Nothing is allowed by it. */
export class TooMuchWork extends Error {
  constructor() {
    super('the policies take more steps than a decision may');
  }
}

/**
 * What the policies that are asked about one request may cost. Owners of buckets write them, anybody's request is held
 * against them, and both may be long: patterns with many wildcards times a header of some kilobytes would block the
 * process for a second.
 */
export class PolicyWork {
  #left = PER_REQUEST;

  /** One more decision. */
  begin(): void {
    this.#left += PER_DECISION;
  }

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
