import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes that may have come before the buffers they came in are given back: from 12 MiB on, full collections are
 * sometimes faster.
 */
const STRIDE = 4 * 1024 * 1024;

/** Smaller pieces are not worth the bookkeeping. */
const LEAST_LENT = 16 * 1024;

/** How much of a buffer is still to be sent before its memory is given back. */
interface Lent {
  /** Its bytes are still being looked at. */
  open: boolean;
  unsent: number;
}

/**
 * Node reads each 64 KiB of an upload into a new buffer. To V8 that is an object of a few bytes, so that
 * hundreds of megabytes pass before the young generation is full; long before, the memory behind the
 * buffers brings on full collections, one for every 32 MiB, which mark the whole heap to free what never
 * left the young part of it. Asking for a collection of that part in time costs a tenth.
 *
 * Better than any collection is to give the memory back when the kernel has taken the bytes: it is used again for the
 * next read while it is in the processor's caches. That is what `lend` and `sent` are for. A buffer of which not all is
 * sent, whatever the reason, is left to the collections.
 */
export class ReadBuffers {
  readonly #collectYoung: () => void;
  readonly #stride: number;
  readonly #lent = new WeakMap<ArrayBufferLike, Lent>();
  #bytes = 0;

  constructor(collectYoung: () => void, stride = STRIDE) {
    this.#collectYoung = collectYoung;
    this.#stride = stride;
  }

  /** Call for every chunk that was read from a socket of node:http. */
  note(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#stride) return;
    this.#bytes = 0;
    this.#collectYoung();
  }

  /**
   * Says that nobody but who gets views of `chunk` from now on will ever look at its memory, and that each of them
   * either tells `sent` when he is done with a view or keeps it as long as he likes. Must be followed by `lentAll`.
   */
  lend(chunk: Buffer): void {
    const { buffer, byteLength } = chunk;
    if (byteLength < LEAST_LENT || buffer.byteLength !== byteLength) return;
    this.#lent.set(buffer, { open: true, unsent: 0 });
  }

  /** A view of a chunk goes to somebody who will call `sent` for all of it, or never for some of it. */
  passOn(view: Uint8Array): void {
    const lent = this.#lent.get(view.buffer);
    if (lent !== undefined) lent.unsent += view.byteLength;
  }

  /** No more views of the chunk are passed on. */
  lentAll(chunk: Buffer): void {
    const lent = this.#lent.get(chunk.buffer);
    if (lent === undefined) return;
    lent.open = false;
    this.#giveBack(chunk.buffer, lent);
  }

  /** The kernel has these bytes, and nobody looks at them again. Memory that was not lent is left alone. */
  sent(view: Uint8Array): void {
    const lent = this.#lent.get(view.buffer);
    if (lent === undefined) return;
    lent.unsent -= view.byteLength;
    this.#giveBack(view.buffer, lent);
  }

  /** Detaching an array buffer frees its memory at once. */
  #giveBack(buffer: ArrayBufferLike, lent: Lent): void {
    if (lent.open || lent.unsent > 0 || !(buffer instanceof ArrayBuffer)) return;
    this.#lent.delete(buffer);
    this.#bytes = Math.max(0, this.#bytes - buffer.byteLength);
    buffer.transfer(0);
  }
}

/** V8's own function, which Node offers under `--expose-gc` only; the flag may be set late for a new context. */
export function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as ((options: { type: 'minor' }) => void) | undefined;
  return () => collect?.({ type: 'minor' });
}

/** Of this process: all uploads fill one heap. */
export const readBuffers = new ReadBuffers(youngCollector());
