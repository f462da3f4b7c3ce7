import type { SlabPool } from './slabs.ts';

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
