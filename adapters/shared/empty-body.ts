import type { Call } from '../../src/observe/call.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import type { UploadBody } from '../../src/streams/bytes.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * A stream of no bytes still has to end well before anything is sent for it.
 * @param name port method
 * @throws StoreError aborted, when it fails or brings bytes after all
 */
export async function endOfEmpty(body: UploadBody, name: string, call: Call): Promise<void> {
  if (body instanceof Uint8Array) return;
  try {
    await unlessAborted(drain(body.stream), call.signal);
  } catch (cause) {
    body.stream.destroy();
    throw isStoreError(cause) ? cause : new StoreError('aborted', { call: name, cause });
  }
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of stream) {
    if (chunk.byteLength > 0) throw new Error('body longer than declared');
  }
}
