/**
 * Steps that one request may take, of about ten nanoseconds each: a millisecond, and more for each character that it
 * says itself. The largest policy of a bucket, with a wildcard in the midst of all its patterns, takes 70,000 for a key
 * of 1,024 characters.
 */
const PER_REQUEST = 100_000;
const PER_CHARACTER = 16;
/** Each decision adds so many: DeleteObjects makes a thousand. */
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
  #length: (() => number) | undefined;

  /** @param length characters that the request says; asked only if the steps for every request do not suffice */
  constructor(length?: () => number) {
    this.#length = length;
  }

  /** To be called once for each decision. */
  begin(): void {
    this.#left += PER_DECISION;
  }

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    this.#left += PER_CHARACTER * (this.#length?.() ?? 0);
    this.#length = undefined;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
