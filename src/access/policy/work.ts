/**
 * Steps that one request may take, of about ten nanoseconds each. Each decision adds `PER_DECISION`: DeleteObjects
 * makes a thousand.
 */
const PER_REQUEST = 1_000_000;
const PER_DECISION = 20_000;

/** A decision needs more steps than it may take. It allows nothing. */
export class TooMuchWork extends Error {
  constructor() {
    super('the policies take more steps than a decision may');
  }
}

/**
 * Bounds the work that policies cause for one request. The owner of a bucket chooses the policy and a stranger chooses
 * the request: a pattern with many wildcards, matched against a header of some kilobytes, could block the process for a
 * second.
 */
export class PolicyWork {
  #left = PER_REQUEST;

  /** To be called once for each decision. */
  begin(): void {
    this.#left += PER_DECISION;
  }

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
