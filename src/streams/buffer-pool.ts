/**
 * Memory of one size that is lent and given back. V8 counts new memory outside its heap, and makes a full collection
 * for every 32 MiB of it: with a new piece for each page, half of what a listing cost
 * (docs/decisions/0006-byte-path.md).
 */
export class BufferPool {
  readonly #size: number;
  readonly #most: number;
  readonly #kept: Buffer[] = [];
  /** Lent, and not given back yet. */
  readonly #lent = new WeakSet<ArrayBufferLike>();

  /**
   * @param size bytes of a buffer
   * @param most buffers that are kept while nobody has them
   */
  constructor(size: number, most: number) {
    this.#size = size;
    this.#most = most;
  }

  /** What it holds is anybody's. One that never comes back is left to V8. */
  lend(): Buffer {
    const buffer = this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.#size);
    this.#lent.add(buffer.buffer);
    return buffer;
  }

  /** Says that nobody looks at a lent buffer again, nor at any view of its bytes. Other memory is left alone. */
  giveBack({ buffer }: Uint8Array): void {
    if (this.#lent.delete(buffer) && this.#kept.length < this.#most) this.#kept.push(Buffer.from(buffer));
  }
}
