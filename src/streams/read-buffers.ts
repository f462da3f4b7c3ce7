import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes that may have come before the buffers they came in are given back: from 12 MiB on, full collections are
 * sometimes faster.
 */
const STRIDE = 4 * 1024 * 1024;

/**
 * Node reads each 64 KiB of an upload into a new buffer. To V8 that is an object of a few bytes, so that
 * hundreds of megabytes pass before the young generation is full; long before, the memory behind the
 * buffers brings on full collections, one for every 32 MiB, which mark the whole heap to free what never
 * left the young part of it. Asking for a collection of that part in time costs a tenth.
 */
export class ReadBuffers {
  readonly #collectYoung: () => void;
  readonly #stride: number;
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
}

/** V8's own function, which Node offers under `--expose-gc` only; the flag may be set late for a new context. */
export function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as ((options: { type: 'minor' }) => void) | undefined;
  return () => collect?.({ type: 'minor' });
}

/** Of this process: all uploads fill one heap. */
export const readBuffers = new ReadBuffers(youngCollector());
