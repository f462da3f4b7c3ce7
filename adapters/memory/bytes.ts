import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreError } from '../../src/store/store-error.ts';
import type { ByteSource, UploadBody } from '../../src/streams/bytes.ts';

/** Bodies are read in pieces of the size that sockets deliver, so that readers meet real back-pressure. */
const VIEW_SIZE = 64 * 1024;

/** The bytes of a blob or part: immutable pieces, shared between blobs by server-side copies. */
export interface Bytes {
  readonly size: number;
  readonly chunks: readonly Buffer[];
}

interface TakenBody extends Bytes {
  /** Hex; only if the caller asked for it. */
  readonly md5?: string;
}

/**
 * Copies a body into memory; the caller may use its buffers again.
 * @throws StoreError aborted: the stream failed, ended early or brought more than it declared
 */
export async function takeBody(
  body: UploadBody,
  options: { signal: AbortSignal; md5: boolean; call: string },
): Promise<TakenBody> {
  const hash = options.md5 ? createHash('md5') : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Uint8Array): void => {
    if (chunk.byteLength === 0) return;
    const copy = Buffer.from(chunk);
    hash?.update(copy);
    chunks.push(copy);
    size += copy.byteLength;
  };
  if (body instanceof Uint8Array) take(body);
  else await drain(body, { ...options, take });
  return { size, chunks, ...(hash && { md5: hash.digest('hex') }) };
}

async function drain(
  body: Exclude<UploadBody, Uint8Array>,
  options: { signal: AbortSignal; call: string; take: (chunk: Uint8Array) => void },
): Promise<void> {
  let received = 0;
  try {
    await pipeline(
      body.stream,
      async (source: AsyncIterable<Uint8Array>) => {
        for await (const chunk of source) {
          received += chunk.byteLength;
          if (received > body.size) throw new Error(`body is longer than the ${body.size} bytes declared`);
          options.take(chunk);
        }
        if (received < body.size) throw new Error(`body ended after ${received} of ${body.size} bytes`);
      },
      { signal: options.signal },
    );
  } catch (cause) {
    throw new StoreError('aborted', { call: options.call, cause });
  }
}

/** `length` bytes from `first` on, without copying them. */
export function sliceBytes(bytes: Bytes, first: number, length: number): Bytes {
  if (first === 0 && length === bytes.size) return bytes;
  const chunks: Buffer[] = [];
  let position = 0;
  for (const chunk of bytes.chunks) {
    const start = Math.max(first - position, 0);
    const end = Math.min(first + length - position, chunk.byteLength);
    if (start < end) chunks.push(chunk.subarray(start, end));
    position += chunk.byteLength;
    if (position >= first + length) break;
  }
  return { size: length, chunks };
}

export function joinBytes(pieces: readonly Bytes[]): Bytes {
  return {
    size: pieces.reduce((sum, piece) => sum + piece.size, 0),
    chunks: pieces.flatMap((piece) => piece.chunks),
  };
}

/** Delivers stored bytes. Ends with an error when `signal` is aborted. */
export class MemorySource implements ByteSource {
  readonly size: number;
  readonly #bytes: Bytes;
  readonly #signal: AbortSignal;

  constructor(bytes: Bytes, signal: AbortSignal) {
    this.size = bytes.size;
    this.#bytes = bytes;
    this.#signal = signal;
  }

  async pipeTo(sink: Writable, signal: AbortSignal): Promise<void> {
    await pipeline(this.stream(), sink, { signal });
  }

  stream(): Readable {
    const views = viewsOf(this.#bytes);
    return new Readable({
      signal: this.#signal,
      read(): void {
        const next = views.next();
        this.push(next.done === true ? null : next.value);
      },
    });
  }

  discard(): void {
    // There is no connection to be freed.
  }
}

function* viewsOf(bytes: Bytes): Generator<Buffer, void> {
  for (const chunk of bytes.chunks) {
    for (let start = 0; start < chunk.byteLength; start += VIEW_SIZE) {
      yield chunk.subarray(start, start + VIEW_SIZE);
    }
  }
}
