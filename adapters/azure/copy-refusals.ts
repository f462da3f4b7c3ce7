import { type StoreError, isStoreError } from '../../src/store/store-error.ts';
import { CANNOT_VERIFY_SOURCE } from './errors.ts';

/**
 * How long copies by URL are not tried again on an account that refused one; firewalls are changed by people.
 * Milliseconds.
 */
const REMEMBERED_MS = 10 * 60_000;

/**
 * Remembers whether an account lets copies read their source by URL. An account behind a firewall or a private endpoint
 * may not: the service itself is then a stranger to it. In that case the bytes pass through the gateway.
 */
export class CopyRefusals {
  readonly #now: () => number;
  #until = 0;
  #streamed = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the account refused a source lately. */
  get active(): boolean {
    return this.#now() < this.#until;
  }

  /** Copies whose bytes passed through the gateway. */
  get streamed(): number {
    return this.#streamed;
  }

  /** Notes that a copy by URL was refused although its source exists, and that it was done by streaming. */
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
 * Whether the error may mean that the service could not read the source by its URL. The caller must check whether the
 * source exists.
 */
export function mayBeRefused(error: unknown): error is StoreError {
  return isStoreError(error, 'denied', 'sourceNotFound') && REFUSED.has(error.detail.status);
}

/**
 * Whether the service could not copy this one source (409: "the block list is corrupted", a size above what the call
 * takes), which says nothing of others. It may still be read.
 */
export function isUncopyable(error: unknown): error is StoreError {
  return isStoreError(error, 'unexpected') && error.detail.status === 409 && error.detail.code === CANNOT_VERIFY_SOURCE;
}
