import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSource, plain, requestBody } from './bodies.ts';

const MIB = 1024 * 1024;
const DOCUMENT = Buffer.alloc(64 * 1024, ' ');

/** Memory that was allocated and has not been given back, whether a collection has come by or not. */
function watchAllocations() {
  const allocated: ArrayBufferLike[] = [];
  const allocate = Buffer.allocUnsafeSlow.bind(Buffer);
  vi.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation((size) => {
    const buffer = allocate(size);
    allocated.push(buffer.buffer);
    return buffer;
  });
  // The length of an array buffer that was detached is 0.
  return { held: () => allocated.reduce((bytes, memory) => bytes + memory.byteLength, 0) };
}

describe('the memory of a document that never became whole', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('is given back as the document breaks off, before any collection', async () => {
    const memory = watchAllocations();
    for (let round = 0; round < 8; round += 1) {
      const source = openSource();
      const body = requestBody(plain(Buffer.alloc(0), { 'content-length': String(8 * MIB) }), { source });
      const reading = body.readAll(8 * MIB);
      reading.catch(() => undefined);
      for (let sent = 0; sent < 6 * MIB; sent += DOCUMENT.length) source.write(DOCUMENT);
      await vi.waitFor(() => expect(memory.held()).toBeGreaterThanOrEqual(6 * MIB), { timeout: 30_000, interval: 1 });
      source.destroy(new Error('the client left'));
      await expect(reading).rejects.toThrow();
      expect(memory.held()).toBe(0);
    }
  });
});
