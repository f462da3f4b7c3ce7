import type { Readable } from 'node:stream';
import { StoreError } from '../../../src/store/store-error.ts';

/** All bytes of a small answer. @throws StoreError unexpected above `limit` */
export async function readSmall(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > limit) throw new StoreError('unexpected', { cause: new Error(`answer above ${limit} bytes`) });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, total);
}
