import { Readable } from 'node:stream';
import { bulkPacer } from '../../../src/streams/bulk-pacer.ts';
import type { StoreError } from '../../../src/store/store-error.ts';
import type { BodyConsumer } from './body-decoder.ts';
import type { Connection } from './connection.ts';

const CHUNK = 64 * 1024;

/** Hands a body over as a stream, for readers that look at the bytes. Every chunk is theirs to keep. */
export class StreamFeeder implements BodyConsumer {
  readonly stream: Readable;
  readonly #connection: Connection;
  #buffer: Buffer | undefined;
  #over = false;
  /** Whoever reads the stream has enough for now. */
  #full = false;
  /** Others go first: see `BulkPacer`. */
  #outOfTurn = false;
  /** Read and not told to the pacer yet. */
  #read = 0;
  readonly #place = bulkPacer.enter(() => this.#onTurn(), 'while others wait');

  /** @param giveUp is called when the reader goes before the end */
  constructor(connection: Connection, giveUp: (error: Error | null) => void) {
    this.#connection = connection;
    this.stream = new Readable({
      highWaterMark: 2 * CHUNK,
      read: () => {
        this.#full = false;
        this.#resume();
      },
      destroy: (error, done) => {
        this.#place.leave();
        if (!this.#over) giveUp(error);
        done(error);
      },
    });
  }

  data(data: Buffer): void {
    const own = this.#buffer !== undefined && data.buffer === this.#buffer.buffer;
    const keep = own && data.length >= CHUNK / 2;
    if (keep) this.#buffer = undefined;
    this.#read += data.length;
    if (this.stream.push(keep ? data : Buffer.from(data))) return;
    this.#full = true;
    this.#connection.pause();
  }

  afterRead(): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(CHUNK);
    this.#connection.readInto(this.#buffer);
    const bytes = this.#read;
    this.#read = 0;
    if (this.#place.mayGoOn(bytes)) return;
    this.#outOfTurn = true;
    this.#connection.pause();
  }

  end(): void {
    this.#over = true;
    this.#place.leave();
    this.stream.push(null);
  }

  fail(error: StoreError): void {
    this.#over = true;
    this.stream.destroy(error);
  }

  #onTurn(): void {
    this.#outOfTurn = false;
    this.#resume();
  }

  #resume(): void {
    if (!this.#over && !this.#full && !this.#outOfTurn) this.#connection.resume();
  }
}
