import { type Hash, createHash } from 'node:crypto';
import type { ChecksumHasher } from './algorithms.ts';
import { type Md5Lane, Md5Lanes } from './md5-lanes.ts';

/** Shorter streams have ended before others come to go with them. */
const LONG = 1024 * 1024;

let lanes: Md5Lanes | undefined;

/** Streams that are hashed beside each other now. */
export function md5LanesOpen(): number {
  return lanes?.open ?? 0;
}

/**
 * MD5 of bytes that come piece by piece.
 * @param bytes how many will come at most, as far as that is known
 */
export function createMd5(bytes = 0): ChecksumHasher {
  return bytes < LONG ? createHash('md5') : new LongMd5();
}

/**
 * Takes a lane with the first byte, so that a body that is not read holds none, and gives it back with the digest or
 * with `release`.
 */
class LongMd5 implements ChecksumHasher {
  #lane: Md5Lane | undefined;
  /** All lanes were taken when the first byte came. */
  #alone: Hash | undefined;
  #over = false;

  update(bytes: Uint8Array): void {
    if (this.#over) return;
    if (this.#lane === undefined && this.#alone === undefined) this.#begin();
    if (this.#lane === undefined) this.#alone?.update(bytes);
    else lanes?.add(this.#lane, bytes);
  }

  digest(): Buffer {
    if (this.#over) throw new Error('this MD5 was given up, or told already');
    if (this.#lane === undefined && this.#alone === undefined) this.#begin();
    const digest = this.#lane === undefined ? this.#alone?.digest() : lanes?.digest(this.#lane);
    this.release();
    if (digest === undefined) throw new Error('no MD5 was begun');
    return digest;
  }

  room(): Promise<undefined> | undefined {
    return this.#lane === undefined ? undefined : lanes?.room(this.#lane);
  }

  release(): void {
    this.#over = true;
    if (this.#lane !== undefined) lanes?.give(this.#lane);
    this.#lane = undefined;
    this.#alone = undefined;
  }

  #begin(): void {
    lanes ??= new Md5Lanes();
    this.#lane = lanes.take();
    if (this.#lane === undefined) this.#alone = createHash('md5');
  }
}
