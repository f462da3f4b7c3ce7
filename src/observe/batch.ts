/**
 * How many wait at most. One after the other takes half of what it takes in between other work, which has pushed code
 * and data out of the processor's caches each time (record 0009). More than this many gain nothing, and all else waits
 * for a millisecond while so many are handled.
 */
const MAX_WAITING = 128;
/** No observer waits longer, milliseconds. */
const MAX_WAIT_MS = 100;

/** Gathers what each request leaves behind for those who only look on, and hands it over many at a time. */
export class Batch<T> {
  readonly #handle: (items: readonly T[]) => void;
  #waiting: T[] = [];
  #isTimed = false;

  /** @param handle must not throw: there is no caller to tell */
  constructor(handle: (items: readonly T[]) => void) {
    this.#handle = handle;
  }

  add(item: T): void {
    this.#waiting.push(item);
    if (this.#waiting.length >= MAX_WAITING) {
      this.flush();
    } else if (!this.#isTimed) {
      this.#isTimed = true;
      setTimeout(() => this.#late(), MAX_WAIT_MS).unref();
    }
  }

  /** Hands over what waits, if anything does: for those who want to read now. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const items = this.#waiting;
    this.#waiting = [];
    this.#handle(items);
  }

  #late(): void {
    this.#isTimed = false;
    this.flush();
  }
}
