import { BufferPool, freeMemory } from '../../../src/streams/buffer-pool.ts';

/**
 * Memory that a body is moved through. It is filled from its beginning towards its end, and written out behind that; it
 * begins anew only when every write out of it has called back. So no byte is overwritten that waits to be written, and
 * the room that a connection may read into is never a part of what is being written.
 */
export class Slab {
  readonly #pool: SlabPool;
  #memory: Buffer;
  /** Up to here bytes were read into it, and up to there they were handed to a write. */
  #filled = 0;
  #handedOver = 0;
  /** Writes out of it that have not called back. */
  #writes = 0;

  /** @param lean a small one will do */
  constructor(pool: SlabPool, lean: boolean) {
    this.#pool = pool;
    this.#memory = pool.take(lean);
  }

  /** What may be read into. */
  get room(): Buffer {
    return this.#memory.subarray(this.#filled);
  }

  get isBeingWritten(): boolean {
    return this.#writes > 0;
  }

  /** Nothing waits to be handed to a write. */
  get isHandedOver(): boolean {
    return this.#handedOver === this.#filled;
  }

  /** Takes note of bytes that were read to the beginning of `room`. @returns false when they lie elsewhere */
  follow(data: Buffer): boolean {
    if (data.buffer !== this.#memory.buffer || data.byteOffset !== this.#filled) return false;
    this.#filled += data.length;
    return true;
  }

  /** Takes note of bytes in `room` with others before them that are not wanted: the lines between chunks. */
  skipTo(data: Buffer): boolean {
    if (!this.isHandedOver) throw new Error('bytes of a slab were left out');
    if (data.buffer !== this.#memory.buffer || data.byteOffset < this.#filled) return false;
    this.#filled = data.byteOffset;
    this.#handedOver = data.byteOffset;
    return this.follow(data);
  }

  /** What was read and not handed to a write yet; `written` must follow when the kernel has it. */
  takeOut(): Buffer {
    const bytes = this.#memory.subarray(this.#handedOver, this.#filled);
    this.#handedOver = this.#filled;
    this.#writes += 1;
    return bytes;
  }

  written(): void {
    this.#writes -= 1;
  }

  /**
   * From the beginning, in memory of the size that fits. Nothing may be about to be read into it.
   * @param lean a small one will do
   */
  beginAnew(lean: boolean): void {
    if (this.isBeingWritten || !this.isHandedOver) throw new Error('a slab that is in use was begun anew');
    this.#memory = this.#pool.fit(this.#memory, lean);
    this.#filled = 0;
    this.#handedOver = 0;
  }

  /** Another body may have one in its place, for this one is not used again. */
  giveUp(): void {
    this.#pool.giveUp(this.#memory);
  }

  /** After `giveUp`: nothing can read or write its memory any more. */
  reclaim(): void {
    this.#pool.reclaim(this.#memory);
  }
}

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
