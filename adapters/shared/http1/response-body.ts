import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NO_ANSWER_IN_TIME, StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { ByteSource, SinkClock } from '../../../src/streams/bytes.ts';
import type { BodyConsumer, BodyDecoder } from './body-decoder.ts';
import { ConnectionError } from './connection.ts';
import type { Connection } from './connection.ts';
import { DocumentReader, tooLarge } from './document-reader.ts';
import { DirectWriter, ONE_WRITE, endSink, takesBuffersBack } from './direct-writer.ts';
import { StreamFeeder } from './stream-feeder.ts';

interface ResponseBodyParts {
  /** 0 when the peer announced none. */
  readonly size: number;
  readonly decoder: BodyDecoder;
  readonly connection: Connection;
  readonly signal: AbortSignal;
}

interface Pouring {
  readonly signal: AbortSignal;
  readonly clock: SinkClock | undefined;
  /** A sink that proves slow costs the connection. */
  readonly patient: boolean;
}

/** Bytes that may lie here before anybody reads; smaller bodies free their connection without a reader. */
export const READ_AHEAD = 64 * 1024;
/** A body that is given up is read to its end if no more than this is missing, so that its connection can be kept. */
const DRAIN_LIMIT = 64 * 1024;

/** The body of one answer. Until somebody reads it, it is held if it is small, and waits if it is not. */
export class ResponseBody implements ByteSource {
  readonly size: number;
  readonly #decoder: BodyDecoder;
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  #consumer: BodyConsumer | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /**
   * All of a small body that came in one piece, Latin-1: as text it goes out behind the head of an answer, and a copy
   * outside of V8's heap would cost more than the text itself.
   */
  #whole: string | undefined;
  #failure: StoreError | undefined;
  readonly #onData = (data: Buffer): void => this.#data(data);

  constructor(parts: ResponseBodyParts) {
    this.size = parts.size;
    this.#decoder = parts.decoder;
    this.#connection = parts.connection;
    this.#signal = parts.signal;
  }

  /** All bytes are here: the connection is no longer this body's. */
  get complete(): boolean {
    return this.#decoder.done;
  }

  /** @returns how many of the bytes belonged to the body. @throws MalformedResponse */
  receive(bytes: Buffer): number {
    const taken = this.#decoder.push(bytes, this.#onData);
    if (this.#decoder.done) this.#consumer?.end();
    else if (this.#consumer !== undefined) this.#consumer.afterRead();
    else if (this.size > READ_AHEAD || this.#heldBytes >= READ_AHEAD) this.#connection.pause();
    return taken;
  }

  /** `giveBack` would do it. */
  get canGoOn(): boolean {
    return this.#consumer instanceof DirectWriter && this.#consumer.canGoOn;
  }

  /**
   * Gives the connection back, if whoever reads can go on without it.
   * @returns false: nothing was done
   */
  giveBack(): boolean {
    return this.#consumer instanceof DirectWriter && this.#consumer.giveBack();
  }

  /** @throws MalformedResponse when bytes are missing */
  connectionEnded(): void {
    const before = this.#decoder.done;
    this.#decoder.close();
    if (!before) this.#consumer?.end();
  }

  fail(error: ConnectionError): void {
    if (this.#decoder.done || this.#failure !== undefined) return;
    const late = error.failure === 'timeout' && { code: NO_ANSWER_IN_TIME };
    this.#failure = new StoreError(error.failure === 'aborted' ? 'aborted' : 'unavailable', {
      call: 'read',
      ...late,
      cause: error,
    });
    this.#dropHeld();
    this.#consumer?.fail(this.#failure);
  }

  async pipeTo(sink: Writable, signal: AbortSignal, clock?: SinkClock): Promise<void> {
    await this.#pipe(sink, { signal, clock, patient: false });
  }

  pour(sink: Writable, signal: AbortSignal, clock?: SinkClock): Promise<number> {
    return this.#pipe(sink, { signal, clock, patient: true });
  }

  /** @returns bytes that the sink has */
  async #pipe(sink: Writable, how: Pouring): Promise<number> {
    const { signal } = how;
    try {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#decoder.done) {
        const ended = endSink(sink, this.#takeWhole() ?? this.#takeHeld(), signal);
        if (ended !== undefined) await ended;
      } else if (takesBuffersBack(sink)) {
        return await this.#pipeDirect(sink, how);
      } else {
        await pipeline(this.stream(), sink, { signal });
      }
      return this.size;
    } catch (error) {
      sink.destroy();
      this.#giveUp(error);
      throw isStoreError(error) ? error : new StoreError('aborted', { call: 'read', cause: error });
    }
  }

  stream(): Readable {
    if (this.#failure !== undefined) return failing(this.#failure);
    if (this.#decoder.done) {
      return Readable.from(this.#whole === undefined ? this.#held : [this.#takeHeld()], { objectMode: false });
    }
    const feeder = new StreamFeeder(this.#connection, (error) => this.#giveUp(error));
    this.#setConsumer(feeder);
    return feeder.stream;
  }

  discard(): void {
    this.#dropHeld();
    if (this.#decoder.done || this.#failure !== undefined) return;
    if (this.size > DRAIN_LIMIT + this.#heldBytes) {
      this.#giveUp(undefined);
      return;
    }
    let left = DRAIN_LIMIT;
    const drain = (data: Buffer): void => {
      left -= data.length;
      if (left < 0) this.#giveUp(undefined);
    };
    this.#setConsumer({ data: drain, afterRead: nothing, end: nothing, fail: nothing });
    this.#connection.resume();
  }

  /**
   * All bytes in memory, for small answers. Rejects above `limit`, and when they are not there `within` milliseconds,
   * more for a large one (`DocumentReader`).
   */
  async bytes(limit: number, within = Infinity): Promise<Uint8Array> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#decoder.done && this.#heldBytes <= limit) return this.#takeHeld();
    if (this.#decoder.done || this.size > limit) {
      this.discard();
      throw tooLarge(limit);
    }
    const reader = new DocumentReader(this.#connection, { size: this.size, limit, within }, (error) =>
      this.#giveUp(error),
    );
    this.#setConsumer(reader);
    this.#connection.resume();
    return reader.document;
  }

  #data(data: Buffer): void {
    if (this.#consumer !== undefined) {
      this.#consumer.data(data);
      return;
    }
    this.#heldBytes += data.length;
    if (data.length === this.size && data.length <= ONE_WRITE) this.#whole = data.toString('latin1');
    else this.#held.push(Buffer.from(data));
  }

  async #pipeDirect(sink: Writable, { signal, clock, patient }: Pouring): Promise<number> {
    const onAbort = (): void => this.#giveUp(signal.reason);
    const foreign = signal !== this.#signal;
    if (signal.aborted) throw new StoreError('aborted', { call: 'read', cause: signal.reason });
    if (foreign) signal.addEventListener('abort', onAbort, { once: true });
    try {
      const writer = new DirectWriter(sink, this.#connection, { clock, patient });
      this.#setConsumer(writer);
      this.#connection.resume();
      return await writer.finished;
    } finally {
      if (foreign) signal.removeEventListener('abort', onAbort);
    }
  }

  #setConsumer(consumer: BodyConsumer): void {
    this.#consumer = consumer;
    for (const chunk of this.#held) consumer.data(chunk);
    this.#held = [];
  }

  #dropHeld(): void {
    this.#held = [];
    this.#whole = undefined;
  }

  #takeWhole(): string | undefined {
    const whole = this.#whole;
    this.#whole = undefined;
    return whole;
  }

  #takeHeld(): Buffer {
    const whole = this.#takeWhole();
    if (whole !== undefined) return Buffer.from(whole, 'latin1');
    const chunks = this.#held;
    this.#held = [];
    const [only] = chunks;
    return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  }

  /** The rest is not wanted, so the connection is useless if it still belongs to this body. */
  #giveUp(cause: unknown): void {
    if (this.#decoder.done || this.#failure !== undefined) return;
    this.#connection.fail(new ConnectionError('aborted', 'body given up', cause));
  }
}

function nothing(): void {
  // A body that is only drained needs no more than its bytes counted.
}

function failing(error: StoreError): Readable {
  const stream = new Readable({ read: nothing });
  stream.destroy(error);
  return stream;
}
