import type { Readable } from 'node:stream';
import { NO_ANSWER_IN_TIME, StoreError } from '../../../src/store/store-error.ts';

/** The least rate at which a document must arrive after its basic time limit. Bytes a millisecond. */
const LEAST_RATE = 64;

/**
 * All bytes of a small answer.
 * @param within milliseconds that it may take, and more for a large one
 * @throws StoreError unexpected above `limit`, unavailable when it is too late
 */
export async function readSmall(stream: Readable, limit: number, within = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  const began = performance.now();
  const watch = (): NodeJS.Timeout | undefined => {
    const left = within + total / LEAST_RATE - (performance.now() - began);
    if (left > 0) return Number.isFinite(left) ? setTimeout(() => (timer = watch()), left) : undefined;
    stream.destroy(
      new StoreError('unavailable', {
        call: 'read',
        code: NO_ANSWER_IN_TIME,
        cause: new Error(`${total} bytes of a document in ${within} ms`),
      }),
    );
    return undefined;
  };
  let timer = watch();
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > limit) throw new StoreError('unexpected', { cause: new Error(`answer above ${limit} bytes`) });
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks, total);
}
