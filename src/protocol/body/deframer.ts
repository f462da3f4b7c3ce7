import type { TrailerField } from './trailer.ts';

/** Removes the framing of a body. The payload is emitted as views of the bytes that were pushed: nothing is copied. */
export interface Deframer {
  /**
   * Calls `emit` for each run of payload in `bytes`.
   * @throws S3Error when the framing or a chunk's signature is wrong
   */
  push(bytes: Buffer, emit: (payload: Buffer) => void): void;
  /** Call once the body has ended. @throws S3Error when the framing is not complete or its trailer is wrong */
  end(): readonly TrailerField[];
  /** Chunks begun so far; 0 without framing. */
  readonly chunks: number;
}

/** A body without framing. */
export const PLAIN: Deframer = {
  push: (bytes, emit) => emit(bytes),
  end: () => [],
  chunks: 0,
};
