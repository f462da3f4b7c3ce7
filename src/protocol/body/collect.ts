import type { BodyFlow } from './body-flow.ts';
import type { BodyFacts } from './object-body.ts';

export interface CollectedBody {
  readonly bytes: Buffer;
  readonly facts: BodyFacts;
}

/**
 * Reads a whole body into memory, verified. With a known size its buffer is allocated once, or not
 * at all when the body comes in one piece; the flow never delivers more than that size.
 */
export function collect(flow: BodyFlow, size: number | undefined): Promise<CollectedBody> {
  return new Promise((resolve, reject) => {
    const into = size === undefined ? new GrowingBuffer() : new ExactBuffer(size);
    flow.start({
      payload: (bytes) => into.add(bytes),
      done: (facts) => resolve({ bytes: into.take(), facts }),
      failed: reject,
    });
  });
}

class ExactBuffer {
  readonly #size: number;
  #bytes: Buffer | undefined;
  #filled = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(piece: Buffer): void {
    if (piece.length === this.#size) {
      this.#bytes = piece;
      return;
    }
    this.#bytes ??= Buffer.allocUnsafe(this.#size);
    this.#filled += piece.copy(this.#bytes, this.#filled);
  }

  take(): Buffer {
    return this.#bytes ?? Buffer.alloc(0);
  }
}

class GrowingBuffer {
  readonly #pieces: Buffer[] = [];

  add(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  take(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
