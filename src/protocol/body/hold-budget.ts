/** The part of the budget that one holder may use. The rest stays for the others. */
const HOLDERS_SHARE = 3 / 4;
/**
 * Kept beside the budget, for small documents of holders who use little: they get through even when others have spent
 * the budget.
 */
const RESERVE_SHARE = 1 / 8;
const LITTLE = 1 / 4;
const SMALL = 64 * 1024;
/** Documents need some memory even where none is configured for bodies: unlike objects, they cannot be streamed. */
const DOCUMENTS_AT_LEAST = 16 * 1024 * 1024;

/** For whom bytes are held: an account, or all anonymous callers together. */
export type Holder = string;

/**
 * Bytes of what requests send that may be in memory at once, over all requests of a process: bodies of objects that are
 * held, and documents (XML). A body that finds the budget spent is streamed instead: slower to store, but never
 * refused. A document cannot be, and is refused with SlowDown; no request waits for memory.
 */
export class HoldBudget {
  readonly #max: number;
  readonly #used = new Map<Holder, number>();
  #free: number;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
    this.#free = maxBytes;
  }

  /** Negative when documents have taken more than bodies may. */
  get freeBytes(): number {
    return this.#free;
  }

  /** Held now, by one or by all. */
  usedBytes(holder?: Holder): number {
    return holder === undefined ? this.#max - this.#free : (this.#used.get(holder) ?? 0);
  }

  /**
   * Sets bytes aside for the body of an object. True when there were enough; the caller then gives them back exactly
   * once.
   */
  tryTake(bytes: number, holder: Holder = ''): boolean {
    return this.#take(bytes, holder, { limit: this.#max, reserve: 0 });
  }

  /** The same for the next `bytes` of a document, which is `size` bytes long with them. */
  tryTakeDocument(bytes: number, size: number, holder: Holder = ''): boolean {
    const limit = Math.max(this.#max, DOCUMENTS_AT_LEAST);
    const reserve = size <= SMALL && this.usedBytes(holder) <= LITTLE * limit ? RESERVE_SHARE * limit : 0;
    return this.#take(bytes, holder, { limit, reserve });
  }

  giveBack(bytes: number, holder: Holder = ''): void {
    if (bytes === 0) return;
    this.#free += bytes;
    const left = this.usedBytes(holder) - bytes;
    if (left > 0) this.#used.set(holder, left);
    else this.#used.delete(holder);
  }

  #take(
    bytes: number,
    holder: Holder,
    { limit, reserve }: { readonly limit: number; readonly reserve: number },
  ): boolean {
    const own = this.usedBytes(holder) + bytes;
    if (own > HOLDERS_SHARE * limit || this.usedBytes() + bytes > limit + reserve) return false;
    this.#free -= bytes;
    this.#used.set(holder, own);
    return true;
  }
}
