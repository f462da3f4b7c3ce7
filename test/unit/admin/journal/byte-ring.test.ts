import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteRing } from '../../../../src/admin/journal/byte-ring.ts';

const OVERHEAD = 16;

function texts(ring: ByteRing): (string | undefined)[] {
  return ring.places().map((place) => ring.read(place));
}

describe('a ring of entries bounded in bytes', () => {
  it('gives back what was appended, newest first', () => {
    const ring = new ByteRing(1000);
    ['one', 'zwölf', '🦆'].forEach((text, i) => ring.append(i, text));
    expect(texts(ring)).toEqual(['🦆', 'zwölf', 'one']);
    expect(ring.places().map(({ time }) => time)).toEqual([2, 1, 0]);
    const found = ['zwö', '🦆', 'wölf', 'one and more'].map((text) => ring.find(text));
    expect(found).toEqual(['zwölf', '🦆', undefined, undefined]);
  });

  it('refuses what is longer than all of it, and keeps what it has', () => {
    const ring = new ByteRing(100);
    expect(ring.append(0, 'kept')).toBe(true);
    expect(ring.append(0, 'x'.repeat(101 - OVERHEAD))).toBe(false);
    expect(texts(ring)).toEqual(['kept']);
    expect(ring.append(0, 'x'.repeat(100 - OVERHEAD))).toBe(true);
    expect(texts(ring)).toEqual(['x'.repeat(100 - OVERHEAD)]);
    expect(ring.append(0, 'zwölf', 5)).toBe(false);
    expect(ring.append(0, 'zwölf', 6)).toBe(true);
  });

  it('takes entries of any length that fits, too long for the room ahead as well', () => {
    const ring = new ByteRing(500_000);
    const long = 'ü'.repeat(100_000);
    for (const text of ['short', long, 'short again']) expect(ring.append(0, text)).toBe(true);
    expect(texts(ring)).toEqual(['short again', long, 'short']);
  });

  it('says of a place that was overwritten that it is gone', () => {
    const ring = new ByteRing(100);
    ring.append(0, 'first');
    const [place] = ring.places();
    for (let i = 0; i < 3; i++) ring.append(0, 'other'.repeat(5));
    expect(place && ring.read(place)).toBeUndefined();
  });

  it('never holds more than its bytes, and always the newest that a model of it holds at least', () => {
    const lengths = fc.array(fc.nat(180), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 700 }), lengths, (capacity, all) => {
        const ring = new ByteRing(capacity);
        const accepted: string[] = [];
        for (const [i, length] of all.entries()) {
          const text = `${i}:`.padEnd(length, '.');
          if (ring.append(i, text)) accepted.unshift(text);
          const kept = texts(ring);
          expect(kept).toEqual(accepted.slice(0, kept.length));
          expect(ring.usedBytes).toBe(kept.reduce((sum, one) => sum + (one?.length ?? 0) + OVERHEAD, 0));
          expect(ring.usedBytes).toBeLessThanOrEqual(capacity);
          // What does not fit behind the newest begins at the front: less than one record is wasted.
          const next = accepted[kept.length];
          const wasted = Math.max(...accepted.map((one) => one.length + OVERHEAD));
          if (next !== undefined) expect(ring.usedBytes + next.length + OVERHEAD + wasted).toBeGreaterThan(capacity);
        }
      }),
    );
  });
});
