/**
 * After a service has refused a batch, none is sent for so long. Emulators never learn batches, but a permission may be
 * granted at any time. Milliseconds, like the next.
 */
const REFUSED_MS = 60 * 60_000;
/** The same after a batch that failed: the service may be able to do one by one what it cannot do in a batch. */
const FAILED_MS = 60_000;

/** Remembers whether a service takes batches. */
export class BatchSupport {
  readonly #now: () => number;
  #until = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the service refused a batch lately. */
  get isRefused(): boolean {
    return this.#now() < this.#until;
  }

  /** Notes that the service refused a batch, whatever was in it. */
  refused(): void {
    this.#until = this.#now() + REFUSED_MS;
  }

  /** Notes that the service failed at a batch. */
  failed(): void {
    this.#until = Math.max(this.#until, this.#now() + FAILED_MS);
  }
}
