/** Size of a read buffer for bulk bodies; what it buys is in docs/decisions/0006-byte-path.md. */
const SLAB = 512 * 1024;
/** What a body gets while too many others hold slabs. */
const LEAN_SLAB = 64 * 1024;

/**
 * Large read buffers, lent to bodies while they are being moved. Their number is bounded: with many
 * bodies under way at a time each gets by with a small one.
 */
export class SlabPool {
  readonly #mostOut: number;
  readonly #free: Buffer[] = [];
  #out = 0;

  /** @param bytes of all slabs together, but for the small ones */
  constructor(bytes: number) {
    this.#mostOut = Math.max(1, Math.floor(bytes / SLAB));
  }

  take(): Buffer {
    if (this.#out >= this.#mostOut) return Buffer.allocUnsafeSlow(LEAN_SLAB);
    this.#out += 1;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SLAB);
  }

  /** @param clean nothing can read or write the slab any more: it may be lent again */
  giveBack(slab: Buffer, clean: boolean): void {
    if (slab.length !== SLAB) return;
    this.#out -= 1;
    if (clean) this.#free.push(slab);
  }
}
