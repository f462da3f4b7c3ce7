import { BufferPool, freeMemory } from '../../../src/streams/buffer-pool.ts';

/** Size of a read buffer for bulk bodies; what it buys is in docs/decisions/0006-byte-path.md. */
const SLAB = 512 * 1024;
/** What a body gets that is read slowly, and any while too many others hold slabs. */
const LEAN_SLAB = 32 * 1024;

/**
 * Large read buffers, lent to bodies while they are being moved. Their number is bounded: with many
 * bodies under way at a time each gets by with a small one.
 */
export class SlabPool {
  readonly #mostOut: number;
  readonly #large: BufferPool;
  #out = 0;

  /** @param bytes of all slabs together, but for the small ones */
  constructor(bytes: number) {
    this.#mostOut = Math.max(1, Math.floor(bytes / SLAB));
    this.#large = new BufferPool(SLAB, this.#mostOut);
  }

  /** @param lean a small one, whatever there is */
  take(lean: boolean): Buffer {
    if (lean || this.#out >= this.#mostOut) return Buffer.allocUnsafeSlow(LEAN_SLAB);
    this.#out += 1;
    return this.#large.lend();
  }

  /**
   * A slab of the size that fits in place of one that nothing can read or write any more; mostly that is the same.
   * @param lean a small one will do
   */
  fit(slab: Buffer, lean: boolean): Buffer {
    const isLarge = slab.length === SLAB;
    if (lean ? !isLarge : isLarge || this.#out >= this.#mostOut) return slab;
    this.giveBack(slab);
    return this.take(lean);
  }

  /** Nothing can read or write the slab any more. */
  giveBack(slab: Buffer): void {
    this.giveUp(slab);
    this.reclaim(slab);
  }

  /** Another body may have one in its place; `reclaim` follows when nothing can read or write this one any more. */
  giveUp(slab: Buffer): void {
    if (slab.length === SLAB) this.#out -= 1;
  }

  /** The memory of a slab that was given up. One for which this is never called is left to V8. */
  reclaim(slab: Buffer): void {
    if (slab.length === SLAB) this.#large.giveBack(slab);
    else freeMemory(slab.buffer);
  }
}
