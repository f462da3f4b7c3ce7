import { Readable } from 'node:stream';
import type { StoreError } from '../../../src/store/store-error.ts';
import type { BodyConsumer } from './body-consumer.ts';
import type { Connection } from './connection.ts';

const CHUNK = 64 * 1024;

/** Hands a body over as a stream: for those who look at the bytes, so every chunk is theirs to keep. */
export class StreamFeeder implements BodyConsumer {
  readonly stream: Readable;
  readonly #connection: Connection;
  #buffer: Buffer | undefined;
  #over = false;

  /** @param giveUp is called when the reader goes before the end */
  constructor(connection: Connection, giveUp: (error: Error | null) => void) {
    this.#connection = connection;
    this.stream = new Readable({
      highWaterMark: 2 * CHUNK,
      read: () => {
        if (!this.#over) connection.resume();
      },
      destroy: (error, done) => {
        if (!this.#over) giveUp(error);
        done(error);
      },
    });
  }

  data(data: Buffer): void {
    const own = this.#buffer !== undefined && data.buffer === this.#buffer.buffer;
    const keep = own && data.length >= CHUNK / 2;
    if (keep) this.#buffer = undefined;
    if (!this.stream.push(keep ? data : Buffer.from(data))) this.#connection.pause();
  }

  afterRead(): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(CHUNK);
    this.#connection.readInto(this.#buffer);
  }

  end(): void {
    this.#over = true;
    this.stream.push(null);
  }

  fail(error: StoreError): void {
    this.#over = true;
    this.stream.destroy(error);
  }
}
