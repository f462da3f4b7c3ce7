import { isStoreError } from '../../src/store/store-error.ts';

/** After a service did not say the MD5 of a part, it is not asked again for so long. Milliseconds, like the next. */
const UNSAID_MS = 60 * 60_000;
/** The same after a question that failed. */
const FAILED_MS = 60_000;

/**
 * Remembers whether a service says the MD5 of the parts that it stages. What it says is the ETag of a part, so nothing
 * is taken for granted: a service that stops saying it is not relied on for an hour.
 */
export class PartDigests {
  readonly #now: () => number;
  #state: 'said' | 'asking' | 'unsaid';
  /** Not asked before this time. */
  #until = 0;

  /** @param isSaid what is taken to be so before the first question */
  constructor(isSaid: boolean, now: () => number = () => performance.now()) {
    this.#state = isSaid ? 'said' : 'unsaid';
    this.#now = now;
  }

  /** Whether the service is known to say it. */
  get active(): boolean {
    return this.#state === 'said';
  }

  /**
   * Asks the service, if it is time to. Requests that come meanwhile do not wait: nothing is known yet.
   * @param ask resolves to whether the service says it; rejects with a StoreError
   * @returns whether it is known to
   */
  async learn(ask: () => Promise<boolean>): Promise<boolean> {
    if (this.#state !== 'unsaid' || this.#now() < this.#until) return this.active;
    this.#state = 'asking';
    try {
      if (await ask()) this.#state = 'said';
      else this.contradicted();
    } catch (error) {
      this.#failed(error);
    }
    return this.active;
  }

  /** Notes that the service did not say it. */
  contradicted(): void {
    this.#state = 'unsaid';
    this.#until = this.#now() + UNSAID_MS;
  }

  /** A client that left says nothing of the service. */
  #failed(error: unknown): void {
    if (isStoreError(error, 'unexpected')) {
      this.contradicted();
      return;
    }
    this.#state = 'unsaid';
    if (!isStoreError(error, 'aborted')) this.#until = this.#now() + FAILED_MS;
    if (!isStoreError(error)) throw error;
  }
}
