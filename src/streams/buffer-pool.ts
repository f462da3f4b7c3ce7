/** Memory that was not needed for this long is freed. */
const IDLE_MS = 2000;

/**
 * Memory of one size that is lent and given back. V8 counts new memory outside its heap, and makes a full collection
 * for every 32 MiB of it: with a new piece for each page, half of what a listing cost
 * (docs/decisions/0006-byte-path.md). What a burst leaves behind is freed some seconds after it.
 */
export class BufferPool {
  readonly #size: number;
  readonly #most: number;
  readonly #kept: Buffer[] = [];
  /** Lent, and not given back yet. */
  readonly #lent = new WeakSet<ArrayBufferLike>();
  /** Buffers that lay here all the time since the last look. */
  #unused = 0;
  #looking: NodeJS.Timeout | undefined;

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
    this.#unused = Math.min(this.#unused, this.#kept.length);
    this.#lent.add(buffer.buffer);
    return buffer;
  }

  /** Says that nobody looks at a lent buffer again, nor at any view of its bytes. Other memory is left alone. */
  giveBack({ buffer }: Uint8Array): void {
    if (!this.#lent.delete(buffer)) return;
    if (this.#kept.length >= this.#most) {
      freeMemory(buffer);
      return;
    }
    this.#kept.push(Buffer.from(buffer));
    this.#looking ??= setInterval(() => this.#look(), IDLE_MS).unref();
  }

  #look(): void {
    for (const { buffer } of this.#kept.splice(0, this.#unused)) freeMemory(buffer);
    this.#unused = this.#kept.length;
    if (this.#unused > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

/** At once: V8 learns of memory outside its heap late. Nobody may look at it again. */
export function freeMemory(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
