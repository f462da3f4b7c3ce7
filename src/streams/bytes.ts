import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Bytes that a backend is about to deliver. Exactly one of `pipeTo`, `stream`, `discard` is
 * called, once; until then the connection to the backend waits.
 */
export interface ByteSource {
  /** Number of bytes that will come. */
  readonly size: number;
  /**
   * Writes all bytes to `sink`, honours its back-pressure and ends it. Rejects (and destroys the
   * sink) when either side fails or the signal is aborted; fewer bytes than `size` are a failure.
   * Sources that can tell add to `clock` how long the sink kept them waiting.
   */
  pipeTo(sink: Writable, signal: AbortSignal, clock?: SinkClock): Promise<void>;
  /** The bytes as a stream, for callers that look at or transform them. */
  stream(): Readable;
  /** Gives the bytes up: frees the connection, quietly. */
  discard(): void;
}

/** Adds up time that a reader was waited for. */
export interface SinkClock {
  /** Milliseconds. */
  clientWaitMs: number;
}

/** A body to be stored: all of it in memory, or a stream of exactly `size` bytes. */
export type UploadBody = Uint8Array | StreamBody;

export interface StreamBody {
  /** Exactly this many bytes come; a stream that ends early or errors must never be committed. */
  readonly size: number;
  readonly stream: Readable;
}

/**
 * A body whose length shows only at its end: `start`, read to its end, and behind it what `rest` resolves to, or
 * rejects if nothing may be stored.
 */
export interface OpenEndedBody {
  readonly start: StreamBody;
  readonly rest: Promise<Uint8Array>;
}

export function bodySize(body: UploadBody): number {
  return body instanceof Uint8Array ? body.byteLength : body.size;
}

/** Bytes that are in memory already. */
export function heldBytes(bytes: Buffer): ByteSource {
  const stream = (): Readable => Readable.from([bytes], { objectMode: false });
  return {
    size: bytes.byteLength,
    pipeTo: (sink: Writable, signal: AbortSignal) => pipeline(stream(), sink, { signal }),
    stream,
    discard: () => undefined,
  };
}

/** A small body whole: records, never objects. */
export async function readAll(source: ByteSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.stream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The bytes of several sources, one after the other. Each is opened when those before it were read. */
export class JoinedSource implements ByteSource {
  readonly size: number;
  readonly #first: ByteSource | undefined;
  readonly #rest: readonly (() => Promise<ByteSource>)[];

  /** @param size of all together. @param first absent: there are no bytes at all */
  constructor(size: number, first: ByteSource | undefined, rest: readonly (() => Promise<ByteSource>)[]) {
    this.size = size;
    this.#first = first;
    this.#rest = rest;
  }

  async pipeTo(sink: Writable, signal: AbortSignal): Promise<void> {
    await pipeline(this.stream(), sink, { signal });
  }

  stream(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false });
  }

  discard(): void {
    this.#first?.discard();
  }

  async *#chunks(): AsyncGenerator<Buffer, void> {
    let missing = this.size;
    for (const open of [async () => this.#first, ...this.#rest]) {
      const source = await open();
      if (source === undefined) continue;
      for await (const chunk of source.stream() as AsyncIterable<Buffer>) {
        missing -= chunk.length;
        yield chunk;
      }
    }
    if (missing !== 0) throw new Error(`${String(missing)} bytes are missing`);
  }
}
