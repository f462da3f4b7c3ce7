import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { WireBody } from './transport.ts';

/**
 * A body whose length the service did not announce, although it is known from elsewhere. Its bytes are counted: more or
 * fewer are a failure, as they are where a length was announced.
 */
export class MeasuredBody implements WireBody {
  readonly size: number;
  readonly #body: WireBody;

  constructor(body: WireBody, size: number) {
    this.#body = body;
    this.size = size;
  }

  async pipeTo(sink: Writable, signal: AbortSignal): Promise<void> {
    try {
      await pipeline(this.stream(), sink, { signal });
    } catch (error) {
      throw isStoreError(error) ? error : new StoreError('aborted', { call: 'read', cause: error });
    }
  }

  /** Keeps its connection, whatever the sink does: nobody knows how much of it is to come. */
  async pour(sink: Writable, signal: AbortSignal): Promise<number> {
    await this.pipeTo(sink, signal);
    return this.size;
  }

  async bytes(limit: number, within?: number): Promise<Uint8Array> {
    const bytes = await this.#body.bytes(limit, within);
    if (bytes.byteLength !== this.size) throw otherLength();
    return bytes;
  }

  stream(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false });
  }

  discard(): void {
    this.#body.discard();
  }

  async *#chunks(): AsyncGenerator<Buffer, void> {
    let missing = this.size;
    for await (const chunk of this.#body.stream() as AsyncIterable<Buffer>) {
      missing -= chunk.length;
      if (missing < 0) throw otherLength();
      yield chunk;
    }
    if (missing !== 0) throw otherLength();
  }
}

function otherLength(): StoreError {
  return new StoreError('unavailable', { call: 'read', cause: new Error('a body of another length than the object') });
}
