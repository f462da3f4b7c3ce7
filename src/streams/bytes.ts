import type { Readable, Writable } from 'node:stream';

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
