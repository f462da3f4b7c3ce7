import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryPolicy {
  /** Times one call is sent at most, the first included. Default 4. */
  readonly attempts: number;
  /** Upper bound of the first pause in milliseconds; doubles each time, with full jitter. Default 100. */
  readonly baseDelay: number;
  /** Upper bound in milliseconds of any pause the caller chose itself. Default 5,000. */
  readonly maxDelay: number;
  /** Retries that may be spent in a burst, over all calls of the store. Default 200. */
  readonly budget: number;
}

/** Share of a retry that each success earns back: in the long run at most one call in ten is a retry. */
const EARNED = 0.1;

/**
 * Keeps a struggling service from being flooded with repetitions: all calls of one store share a
 * purse of retries that successes slowly fill again. An empty purse means: fail now.
 */
export class RetryBudget {
  readonly #policy: RetryPolicy;
  #tokens: number;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
    this.#tokens = policy.budget;
  }

  /** May a call that was sent `attempt` times be sent once more? Takes the retry out of the purse if so. */
  take(attempt: number): boolean {
    if (attempt >= this.#policy.attempts || this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  succeeded(): void {
    if (this.#tokens < this.#policy.budget) this.#tokens = Math.min(this.#policy.budget, this.#tokens + EARNED);
  }

  /**
   * Waits before attempt `attempt + 1`: full jitter, but not less than the service asked for.
   * Rejects when the signal is aborted.
   */
  async pause(attempt: number, retryAfterSeconds: number | undefined, signal: AbortSignal): Promise<void> {
    const ceiling = Math.min(this.#policy.maxDelay, this.#policy.baseDelay * 2 ** (attempt - 1));
    const asked = Math.min(this.#policy.maxDelay, (retryAfterSeconds ?? 0) * 1000);
    await sleep(asked + Math.random() * ceiling, undefined, { signal });
  }
}
