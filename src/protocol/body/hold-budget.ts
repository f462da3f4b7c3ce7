/**
 * Bytes of held bodies that may be in memory at once, over all requests of a process. A body that
 * finds the budget spent is streamed instead: slower to store, but never refused.
 */
export class HoldBudget {
  #free: number;

  constructor(maxBytes: number) {
    this.#free = maxBytes;
  }

  get freeBytes(): number {
    return this.#free;
  }

  /** True when `bytes` were set aside; the caller gives them back exactly once. */
  tryTake(bytes: number): boolean {
    if (bytes > this.#free) {
      return false;
    }
    this.#free -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }
}
