import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteSource } from './bytes.ts';

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
