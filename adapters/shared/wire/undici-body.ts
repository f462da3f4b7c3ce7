import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { isStoreError, NO_ANSWER_IN_TIME, StoreError } from '../../../src/store/store-error.ts';
import type { WireBody } from './transport.ts';

/** Bytes that may lie here before they are read; small bodies are complete within it and free their connection. */
export const UNDICI_READ_AHEAD = 128 * 1024;
/** A body given up on is drained, so that its connection lives on, as long as no more than this comes. */
const DRAIN_LIMIT = 64 * 1024;

/** The body of one answer, fed by the dispatch handler through `push`, `end` and `fail`. */
export class UndiciBody implements WireBody {
  readonly size: number;
  readonly #controller: Dispatcher.DispatchController;
  #chunks: Buffer[] = [];
  #held = 0;
  #received = 0;
  #ended = false;
  #failure: StoreError | undefined;
  #dropped = false;
  #drainTo = 0;
  #reader: Readable | undefined;
  #paused = false;
  #heldUp = false;

  constructor(size: number, controller: Dispatcher.DispatchController) {
    this.size = size;
    this.#controller = controller;
  }

  /** Whether the reader has made the service wait since this was asked last. */
  readonly heldUp = (): boolean => {
    const was = this.#heldUp;
    this.#heldUp = this.#paused;
    return was;
  };

  push(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#dropped) {
      if (this.#received > this.#drainTo) this.#controller.abort(new Error('body given up'));
      return;
    }
    if (this.#reader !== undefined) {
      if (!this.#reader.push(chunk)) this.#pause();
      return;
    }
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held >= UNDICI_READ_AHEAD) this.#pause();
  }

  end(): void {
    this.#ended = true;
    this.#reader?.push(null);
  }

  fail(error: StoreError): void {
    this.#failure = error;
    this.#reader?.destroy(error);
  }

  async pipeTo(sink: Writable, signal: AbortSignal): Promise<void> {
    try {
      if (this.#ended && this.#reader === undefined) await this.#writeHeld(sink, signal);
      else await pipeline(this.stream(), sink, { signal });
    } catch (error) {
      throw isStoreError(error) ? error : new StoreError('aborted', { call: 'read', cause: error });
    }
  }

  /** Keeps its connection, whatever the sink does. */
  async pour(sink: Writable, signal: AbortSignal): Promise<number> {
    await this.pipeTo(sink, signal);
    return this.size;
  }

  stream(): Readable {
    if (this.#reader !== undefined) return this.#reader;
    const reader = new Readable({
      highWaterMark: UNDICI_READ_AHEAD,
      read: () => this.#resume(),
      destroy: (error, done) => {
        if (!this.#ended) this.#controller.abort(error ?? new Error('body given up'));
        done(error);
      },
    });
    this.#reader = reader;
    for (const chunk of this.#chunks) reader.push(chunk);
    this.#chunks = [];
    if (this.#failure !== undefined) reader.destroy(this.#failure);
    else if (this.#ended) reader.push(null);
    return reader;
  }

  discard(): void {
    this.#dropped = true;
    this.#chunks = [];
    if (this.#ended || this.#failure !== undefined) return;
    this.#drainTo = this.#received + DRAIN_LIMIT;
    if (this.size > this.#drainTo) this.#controller.abort(new Error('body given up'));
    else this.#resume();
  }

  async bytes(limit: number, within?: number): Promise<Uint8Array> {
    if (this.#ended && this.#held <= limit) return this.#takeHeld();
    return readSmall(this.stream(), limit, within);
  }

  #pause(): void {
    this.#paused = true;
    this.#heldUp = true;
    this.#controller.pause();
  }

  #resume(): void {
    this.#paused = false;
    this.#controller.resume();
  }

  #takeHeld(): Buffer {
    const chunks = this.#chunks;
    this.#chunks = [];
    const [only] = chunks;
    return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  }

  /** The short cut for bodies that are here already: one write, no stream in between. */
  async #writeHeld(sink: Writable, signal: AbortSignal): Promise<void> {
    const done = finished(sink, { readable: false, signal, cleanup: true });
    sink.end(this.#takeHeld());
    try {
      await done;
    } catch (error) {
      sink.destroy();
      throw error;
    }
  }
}

/** The least rate at which a document must arrive after its basic time limit. Bytes a millisecond. */
const LEAST_RATE = 64;

/**
 * All bytes of a small answer.
 * @param within milliseconds that it may take, and more for a large one
 * @throws StoreError unexpected above `limit`, unavailable when it is too late
 */
async function readSmall(stream: Readable, limit: number, within = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  const began = performance.now();
  const watch = (): NodeJS.Timeout | undefined => {
    const left = within + total / LEAST_RATE - (performance.now() - began);
    if (left > 0) return Number.isFinite(left) ? setTimeout(() => (timer = watch()), left) : undefined;
    stream.destroy(
      new StoreError('unavailable', {
        call: 'read',
        code: NO_ANSWER_IN_TIME,
        cause: new Error(`${total} bytes of a document in ${within} ms`),
      }),
    );
    return undefined;
  };
  let timer = watch();
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > limit) throw new StoreError('unexpected', { cause: new Error(`answer above ${limit} bytes`) });
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks, total);
}
