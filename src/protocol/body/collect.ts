import type { BodyFlow } from './body-flow.ts';
import type { BodyFacts } from './object-body.ts';

interface CollectedBody {
  readonly bytes: Buffer;
  readonly facts: BodyFacts;
}

interface CollectOptions {
  /** Undefined when the client did not say. The flow never delivers more. */
  readonly size: number | undefined;
  /**
   * Asked before memory for `bytes` more is allocated, `total` with them; what it throws ends the reading. Absent: they
   * are reserved.
   */
  readonly reserve?: (bytes: number, total: number) => void;
}

/** First allocation of a body that is not reserved for yet. */
const FIRST = 16 * 1024;

/**
 * Reads a whole body into memory, verified: into one buffer, whatever pieces it comes in, or into none when it comes in
 * one piece. Memory is allocated as bytes come, at most twice as much: a client that announces much and sends little
 * holds little.
 */
export function collect(flow: BodyFlow, options: CollectOptions): Promise<CollectedBody> {
  return new Promise((resolve, reject) => {
    const into = new GrowingBuffer(options);
    flow.start({
      payload: (bytes) => into.add(bytes),
      done: (facts) => resolve({ bytes: into.take(), facts }),
      failed: (error) => {
        into.free();
        reject(error);
      },
    });
  });
}

const NOTHING = Buffer.alloc(0);

/** Memory for a body that comes in pieces. */
class GrowingBuffer {
  readonly #options: CollectOptions;
  #bytes: Buffer = NOTHING;
  /** Of `#bytes`, unless they are a piece that came. */
  #memory: ArrayBuffer | undefined;
  #filled = 0;

  constructor(options: CollectOptions) {
    this.#options = options;
  }

  add(piece: Buffer): void {
    if (this.#filled === 0 && piece.length === this.#options.size) {
      this.#options.reserve?.(piece.length, piece.length);
      this.#bytes = piece;
    } else {
      this.#grow(this.#filled + piece.length);
      piece.copy(this.#bytes, this.#filled);
    }
    this.#filled += piece.length;
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#filled);
  }

  /**
   * Gives the memory back at once; no reader has seen it. Collections come late for memory outside of V8's heap, and
   * until then it would be there without being counted.
   */
  free(): void {
    this.#bytes = NOTHING;
    // Detaching an array buffer frees its memory.
    this.#memory?.transfer(0);
    this.#memory = undefined;
  }

  #grow(needed: number): void {
    const { size, reserve } = this.#options;
    const capacity = this.#bytes.length;
    if (needed <= capacity) return;
    const doubled = Math.max(needed, 2 * capacity, FIRST);
    const next =
      size === undefined ? doubled : Math.max(needed, Math.min(size, reserve === undefined ? size : doubled));
    reserve?.(next - capacity, next);
    const grown = Buffer.allocUnsafeSlow(next);
    this.#bytes.copy(grown, 0, 0, this.#filled);
    this.free();
    this.#bytes = grown;
    this.#memory = grown.buffer;
  }
}
