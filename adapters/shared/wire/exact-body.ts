import { Stream } from 'node:stream';
import type { Readable } from 'node:stream';
import type { StreamBody } from '../../../src/streams/bytes.ts';
import type { BodyFrame } from './transport.ts';

const NO_FRAME: BodyFrame = { before: new Uint8Array(0), after: new Uint8Array(0) };

/**
 * Sends a stream and holds it to its declared length.
 *
 * The chunk that makes the length whole goes out only when the stream has ended well. A service commits when the
 * declared length has come, so it would also commit a stream that then fails, or goes on. (And undici sends a stream
 * that ends without a byte as a whole body of length 0.)
 *
 * It is what undici wants of a body, an emitter of `data` and `end` that can be paused, and no more: a stream of its
 * own, or an iterator, would add half of the cost that sending has in the first place.
 */
export class ExactBody extends Stream {
  /** Of the stream and its frame together. */
  readonly size: number;
  /** What the stream itself did wrong; stays undefined when the connection fails. */
  failure: Error | undefined;
  destroyed = false;
  readableEnded = false;
  readonly #stream: Readable;
  readonly #expected: number;
  readonly #frame: BodyFrame;
  #flowing = false;
  #begun = false;
  #held: Uint8Array | undefined;
  #total = 0;

  constructor(body: StreamBody, frame: BodyFrame = NO_FRAME) {
    super();
    this.#expected = body.size;
    this.#frame = frame;
    this.size = frame.before.byteLength + body.size + frame.after.byteLength;
    this.#stream = body.stream;
    // Both may fail while nobody listens: before a connection is there, and after the request is over.
    this.on('error', ignore);
    this.#stream.on('error', (error) => this.#fail(error));
    this.#stream.on('close', () => this.#fail(new Error('body broke off')));
  }

  /** Bytes of the stream so far. */
  get passedOn(): number {
    return this.#total;
  }

  resume(): this {
    if (!this.#flowing) this.#begin();
    this.#stream.resume();
    return this;
  }

  pause(): this {
    this.#stream.pause();
    return this;
  }

  /** The request is over. A stream that was not read to its end is of no use to anybody. */
  destroy(): this {
    this.destroyed = true;
    if (!this.#stream.readableEnded) this.#stream.destroy();
    return this;
  }

  #begin(): void {
    this.#flowing = true;
    const { failure } = this;
    if (failure !== undefined) {
      // The stream ended while nobody listened: a sender that starts only now would wait for ever.
      queueMicrotask(() => this.emit('error', failure));
      return;
    }
    const { errored, readableEnded, destroyed } = this.#stream;
    if (errored !== null || readableEnded || destroyed) {
      queueMicrotask(() => this.#fail(errored ?? new Error('body was used up before it was sent')));
      return;
    }
    this.#stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
    this.#stream.on('end', () => this.#end());
  }

  #take(chunk: Uint8Array): void {
    if (this.destroyed || chunk.byteLength === 0) return;
    this.#total += chunk.byteLength;
    if (this.#total > this.#expected) {
      this.#fail(new Error(`body longer than its ${this.#expected} bytes`));
      return;
    }
    if (this.#total === this.#expected) this.#held = chunk;
    else this.#send(chunk);
  }

  #end(): void {
    if (this.destroyed) return;
    if (this.#total < this.#expected) {
      this.#fail(new Error(`body ended after ${this.#total} of ${this.#expected} bytes`));
      return;
    }
    if (this.#held !== undefined) this.#send(this.#held);
    if (this.#frame.after.byteLength > 0) this.emit('data', this.#frame.after);
    this.readableEnded = true;
    this.emit('end');
  }

  #send(chunk: Uint8Array): void {
    if (!this.#begun && this.#frame.before.byteLength > 0) this.emit('data', this.#frame.before);
    this.#begun = true;
    this.emit('data', chunk);
  }

  #fail(error: Error): void {
    if (this.destroyed || this.readableEnded) return;
    this.failure = error;
    this.destroy();
    this.emit('error', error);
  }
}

function ignore(): void {
  // The sender of the body learns of it through `failure`.
}
