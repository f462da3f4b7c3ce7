import { BufferPool } from '../../../src/streams/buffer-pool.ts';

/** For the documents of backends: a page of a thousand blobs has 850 KB, those with long names and records more. */
export const documentBuffers = new BufferPool(1024 * 1024, 4);
