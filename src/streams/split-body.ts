import { Readable } from 'node:stream';
import { bodySize } from './bytes.ts';
import type { StreamBody, UploadBody } from './bytes.ts';

/**
 * Bodies of at most `most` bytes that together are `body`. Pieces of a stream must be sent one after the
 * other, each to its end; what breaks one breaks the stream.
 */
export function* splitBody(body: UploadBody, most: number): Generator<UploadBody> {
  if (bodySize(body) <= most) {
    yield body;
  } else if (body instanceof Uint8Array) {
    for (let at = 0; at < body.byteLength; at += most) yield body.subarray(at, at + most);
  } else {
    yield* splitStream(body, most);
  }
}

function* splitStream(body: StreamBody, most: number): Generator<StreamBody> {
  const source = new Splitter(body.stream);
  for (let at = 0; at < body.size; at += most) {
    const size = Math.min(most, body.size - at);
    const isLast = at + size === body.size;
    yield { size, stream: Readable.from(source.take(size, isLast), { objectMode: false }) };
  }
}

/** Hands out a stream in lengths; what a chunk holds beyond one length begins the next. */
class Splitter {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #stream: Readable;
  #left: Buffer | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = stream.iterator({ destroyOnReturn: false });
  }

  /** @param isLast reads on to the end of the stream, so that excess and late errors are seen before the piece ends */
  async *take(size: number, isLast: boolean): AsyncGenerator<Buffer, void> {
    let missing = size;
    let whole = false;
    try {
      while (missing > 0 || isLast) {
        const chunk = await this.#next();
        if (chunk === undefined) break;
        const part = isLast ? chunk : chunk.subarray(0, missing);
        if (part.length < chunk.length) this.#left = chunk.subarray(part.length);
        missing -= part.length;
        yield part;
      }
      if (missing > 0) throw new Error('body ended early');
      whole = true;
    } finally {
      if (!whole) this.#stream.destroy();
    }
  }

  async #next(): Promise<Buffer | undefined> {
    const left = this.#left;
    this.#left = undefined;
    if (left !== undefined) return left;
    const next = await this.#chunks.next();
    return next.done === true ? undefined : next.value;
  }
}
