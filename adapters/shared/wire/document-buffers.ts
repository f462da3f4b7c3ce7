import { BufferPool } from '../../../src/streams/buffer-pool.ts';

/**
 * Buffers for the documents of backends. A page of a thousand blobs has 850 KB, or more with long names and records.
 */
export const documentBuffers = new BufferPool(1024 * 1024, 4);
