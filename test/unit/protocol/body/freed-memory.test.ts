import { describe, expect, it } from 'vitest';
import { openSource, plain, requestBody } from './bodies.ts';

const MIB = 1024 * 1024;
const DOCUMENT = Buffer.alloc(64 * 1024, ' ');

const held = (): number => process.memoryUsage().arrayBuffers;

describe('the memory of a document that never became whole', () => {
  it('is given back before any collection', async () => {
    const before = held();
    for (let round = 0; round < 8; round += 1) {
      const source = openSource();
      const body = requestBody(plain(Buffer.alloc(0), { 'content-length': String(8 * MIB) }), { source });
      const reading = body.readAll(8 * MIB);
      for (let sent = 0; sent < 6 * MIB; sent += DOCUMENT.length) source.write(DOCUMENT);
      await expect.poll(() => held() - before, { interval: 1 }).toBeGreaterThan(6 * MIB);
      source.destroy(new Error('the client left'));
      await expect(reading).rejects.toThrow();
      expect(held() - before).toBeLessThan(2 * MIB);
    }
  });
});
