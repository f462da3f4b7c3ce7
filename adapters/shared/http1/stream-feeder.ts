import { Readable } from 'node:stream';
import { Brake } from '../../../src/streams/brake.ts';
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
  /** `reader`: it has enough for now. `turn`: other bodies go first (`BulkPacer`). */
  readonly #brake: Brake<'reader' | 'turn'>;
  /** Read and not told to the pacer yet. */
  #read = 0;
  readonly #place = bulkPacer.enter(() => this.#brake.release('turn'));

  /** @param giveUp is called when the reader goes before the end */
  constructor(connection: Connection, giveUp: (error: Error | null) => void) {
    this.#connection = connection;
    this.#brake = new Brake(connection);
    this.stream = new Readable({
      highWaterMark: 2 * CHUNK,
      read: () => this.#brake.release('reader'),
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
    if (!this.stream.push(keep ? data : Buffer.from(data))) this.#brake.hold('reader');
  }

  afterRead(): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(CHUNK);
    this.#connection.readInto(this.#buffer);
    const bytes = this.#read;
    this.#read = 0;
    if (!this.#place.mayGoOn(bytes)) this.#brake.hold('turn');
  }

  end(): void {
    this.#leave();
    this.stream.push(null);
  }

  fail(error: StoreError): void {
    this.#leave();
    this.stream.destroy(error);
  }

  /** The connection is no longer this body's. */
  #leave(): void {
    this.#over = true;
    this.#brake.letGo();
    this.#place.leave();
  }
}
