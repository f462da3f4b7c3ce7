import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteSource } from './bytes.ts';

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
