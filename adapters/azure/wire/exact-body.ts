import type { Readable } from 'node:stream';
import type { StreamBody } from '../../../src/streams/bytes.ts';

/**
 * A stream on its way out, held to its declared length.
 *
 * The last chunk goes out only when the stream has ended well: a service commits when the declared length
 * has come, so a stream that then fails, or goes on, would be committed all the same. (And undici sends
 * a stream that ends without a byte as a whole body of length 0.)
 */
export class ExactBody implements AsyncIterable<Uint8Array> {
  readonly size: number;
  /** What the stream itself did wrong; stays undefined when the connection fails. */
  failure: Error | undefined;
  readonly #stream: Readable;

  constructor(body: StreamBody) {
    this.size = body.size;
    this.#stream = body.stream;
    // It may fail while it waits for a connection, before anybody else listens.
    this.#stream.on('error', ignore);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    let held: Uint8Array | undefined;
    let total = 0;
    try {
      for await (const chunk of this.#stream as AsyncIterable<Uint8Array>) {
        total += chunk.byteLength;
        if (total > this.size) throw new Error(`body longer than its ${this.size} bytes`);
        if (held !== undefined) yield held;
        held = chunk;
      }
      if (total < this.size) throw new Error(`body ended after ${total} of ${this.size} bytes`);
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error('body failed', { cause: error });
      throw error;
    }
    if (held !== undefined) yield held;
  }

  /** The request is over. A stream that was not read to its end is of no use to anybody. */
  release(): void {
    if (!this.#stream.readableEnded) this.#stream.destroy();
    else this.#stream.off('error', ignore);
  }
}

function ignore(): void {
  // Seen by whoever reads the stream.
}
