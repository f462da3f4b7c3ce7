import { NO_ANSWER_IN_TIME, StoreError } from '../../../src/store/store-error.ts';
import { documentBuffers } from '../wire/answers.ts';
import type { BodyConsumer } from './body-decoder.ts';
import type { Connection } from './connection.ts';

/** Documents up to this announced size get memory of their own. */
const SMALL = 64 * 1024;
/** Free room for each read, unless fewer bytes are left: a TLS record holds up to so many. */
const LEAST_ROOM = 16 * 1024;
/** The least rate at which a document must arrive after its basic time limit. Bytes a millisecond. */
const LEAST_RATE = 64;

interface DocumentLimits {
  /** Bytes; above them it is `unexpected`. */
  readonly limit: number;
  /** Milliseconds that it may take, and more for a large one. */
  readonly within: number;
  /** As announced; 0 if it was not. */
  readonly size: number;
}

/**
 * Reads a body into memory: the connection reads straight into the memory of the document. The reader of the document
 * may give that memory back (`documentBuffers`). The memory of an incomplete document is left to V8, because the
 * connection may be about to write to it.
 */
export class DocumentReader implements BodyConsumer {
  readonly #connection: Connection;
  readonly #limits: DocumentLimits;
  readonly #giveUp: (error: StoreError) => void;
  readonly #settled = Promise.withResolvers<Uint8Array>();
  readonly #began = performance.now();
  #bytes: Buffer;
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  /** @param giveUp is called when the body is not wanted any more */
  constructor(connection: Connection, limits: DocumentLimits, giveUp: (error: StoreError) => void) {
    this.#connection = connection;
    this.#limits = limits;
    this.#giveUp = giveUp;
    this.#bytes = isSmall(limits.size) ? Buffer.allocUnsafeSlow(limits.size) : documentBuffers.lend();
    this.#watch();
  }

  /** Resolves to all of it. Rejects with a StoreError: unexpected above the limit, unavailable when it is too late. */
  get document(): Promise<Uint8Array> {
    return this.#settled.promise;
  }

  data(data: Buffer): void {
    if (this.#over) return;
    const end = this.#length + data.length;
    if (end > this.#limits.limit) {
      this.#stop(tooLarge(this.#limits.limit));
      return;
    }
    const isThere = data.buffer === this.#bytes.buffer && data.byteOffset === this.#length;
    if (!isThere) {
      this.#reserve(end);
      // Of chunks, the bytes move up over the lines between them; `set` minds that both may be one piece of memory.
      this.#bytes.set(data, this.#length);
    }
    this.#length = end;
  }

  afterRead(): void {
    if (this.#over) return;
    const { size } = this.#limits;
    this.#reserve(this.#length + (size > this.#length ? Math.min(size - this.#length, LEAST_ROOM) : LEAST_ROOM));
    this.#connection.readInto(this.#bytes.subarray(this.#length));
  }

  end(): void {
    if (this.#over) return;
    this.#finish();
    this.#settled.resolve(this.#bytes.subarray(0, this.#length));
  }

  fail(error: StoreError): void {
    if (this.#over) return;
    this.#finish();
    this.#settled.reject(error);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    documentBuffers.giveBack(this.#bytes);
    this.#bytes = larger;
  }

  #watch(): void {
    const { within } = this.#limits;
    const left = within + this.#length / LEAST_RATE - (performance.now() - this.#began);
    if (left > 0) {
      if (Number.isFinite(left)) this.#timer = setTimeout(() => this.#watch(), left);
      return;
    }
    const cause = new Error(`${this.#length} bytes of a document in ${within} ms`);
    this.#stop(new StoreError('unavailable', { call: 'read', code: NO_ANSWER_IN_TIME, cause }));
  }

  #stop(error: StoreError): void {
    this.#finish();
    this.#settled.reject(error);
    this.#giveUp(error);
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }
}

/** @param size as announced; 0 if it was not */
function isSmall(size: number): boolean {
  return size > 0 && size <= SMALL;
}

export function tooLarge(limit: number): StoreError {
  return new StoreError('unexpected', { cause: new Error(`answer above ${limit} bytes`) });
}
