import { type StoreError, isStoreError } from '../../src/store/store-error.ts';

/**
 * How long an account that refused to read a source by its URL is not asked again; firewalls are changed by people.
 * Milliseconds.
 */
const REMEMBERED_MS = 10 * 60_000;

/**
 * Whether an account lets copies read their source by URL. One behind a firewall or a private endpoint may not: the
 * service itself is then a stranger to it. Its bytes pass through the gateway instead.
 */
export class CopyRefusals {
  readonly #now: () => number;
  #until = 0;
  #streamed = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Sources are refused, as far as is remembered. */
  get active(): boolean {
    return this.#now() < this.#until;
  }

  /** Copies whose bytes passed through the gateway. */
  get streamed(): number {
    return this.#streamed;
  }

  /** A copy by URL was refused although its source is there, and done another way. */
  remember(): void {
    this.#until = this.#now() + REMEMBERED_MS;
  }

  count(): void {
    this.#streamed += 1;
  }
}

/** Statuses that a service behind a firewall meets at the source, or is refused with itself. */
const REFUSED: ReadonlySet<number | undefined> = new Set([401, 403, 404]);

/**
 * The error may say that the source was not to be had by its URL; whether it is there all the same has to be looked at.
 */
export function mayBeRefused(error: unknown): error is StoreError {
  return isStoreError(error, 'denied', 'sourceNotFound') && REFUSED.has(error.detail.status);
}
