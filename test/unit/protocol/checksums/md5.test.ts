import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChecksumHasher } from '../../../../src/protocol/checksums/algorithms.ts';
import { Md5Lane, Md5Lanes, RING } from '../../../../src/protocol/checksums/md5-lanes.ts';
import { createMd5, md5LanesOpen } from '../../../../src/protocol/checksums/md5.ts';
import { propertySeed } from '../../../support/property-seed.ts';

const LONG = 16 * 1024 * 1024;
const MOST = 64;

function nodes(...pieces: readonly Uint8Array[]): string {
  const hash = createHash('md5');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

const NOISE = Buffer.alloc(12 * 1024 * 1024);
for (let i = 0; i < NOISE.length; i += 1) NOISE[i] = Math.imul(i + 1, 2_654_435_761) >>> 24;

/** Bytes that are others for each `salt`. */
function bytesOf(size: number, salt: number): Buffer {
  const from = (salt * 4099) % 100_000;
  return Buffer.from(NOISE.subarray(from, from + size));
}

function digestOf(hasher: ChecksumHasher): string {
  return hasher.digest().toString('hex');
}

afterEach(() => {
  expect(md5LanesOpen(), 'lanes that nobody gave back').toBe(0);
});

describe('MD5 of a stream by itself', () => {
  it.each([0, 1, 8, 54, 55, 56, 57, 62, 63, 64, 65, 119, 120, 127, 128, 129, RING - 1, RING, RING + 1])(
    'is that of %d bytes, in one piece and in many',
    (size) => {
      const bytes = bytesOf(size, size);
      for (const step of [Math.max(1, size), 1 + (size >> 3), 63]) {
        const md5 = createMd5(LONG);
        for (let at = 0; at < size; at += step) md5.update(bytes.subarray(at, at + step));
        expect(digestOf(md5)).toBe(nodes(bytes));
      }
    },
  );

  it('is right of pieces that are longer than its ring, and of empty ones', () => {
    const bytes = bytesOf(5 * RING + 77, 1);
    const md5 = createMd5(LONG);
    md5.update(Buffer.alloc(0));
    md5.update(bytes);
    md5.update(Buffer.alloc(0));
    md5.update(bytes.subarray(3));
    expect(digestOf(md5)).toBe(nodes(bytes, bytes.subarray(3)));
  });

  it('leaves the bytes that it got alone, and keeps no part of them', () => {
    const bytes = bytesOf(100_000, 2);
    const copy = Buffer.from(bytes);
    const md5 = createMd5(LONG);
    md5.update(bytes);
    expect(bytes.equals(copy)).toBe(true);
    bytes.fill(0);
    expect(digestOf(md5)).toBe(nodes(copy));
  });

  it('counts beyond 2^32 bits', { timeout: 120_000 }, () => {
    const piece = NOISE;
    const hash = createHash('md5');
    const md5 = createMd5(2 ** 30);
    for (let sent = 0; sent <= 2 ** 29; sent += piece.length) {
      hash.update(piece);
      md5.update(piece);
    }
    expect(digestOf(md5)).toBe(hash.digest('hex'));
  });

  it('of few bytes needs no lane', () => {
    const md5 = createMd5(1000);
    md5.update(bytesOf(1000, 4));
    expect(md5LanesOpen()).toBe(0);
    expect(digestOf(md5)).toBe(nodes(bytesOf(1000, 4)));
  });
});

interface Stream {
  readonly size: number;
  /** What comes at a time, over and over. */
  readonly pieces: readonly number[];
  /** Given up when so many bytes have come; undefined: it ends well. */
  readonly gaveUpAt: number | undefined;
}

const stream: fc.Arbitrary<Stream> = fc.record({
  size: fc.oneof(fc.nat(200), fc.nat(300_000), fc.constantFrom(0, 55, 56, 63, 64)),
  pieces: fc.array(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 70_000 })), {
    minLength: 1,
    maxLength: 6,
  }),
  gaveUpAt: fc.option(fc.nat(300_000), { nil: undefined, freq: 4 }),
});

class Sender {
  readonly md5 = createMd5(LONG);
  readonly #stream: Stream;
  readonly #bytes: Buffer;
  #at = 0;
  #turn = 0;

  constructor(sent: Stream, salt: number) {
    this.#stream = sent;
    this.#bytes = bytesOf(sent.size, salt);
  }

  /** @returns whether there is more to come */
  next(): boolean {
    const { pieces, gaveUpAt, size } = this.#stream;
    if (gaveUpAt !== undefined && this.#at >= gaveUpAt) {
      this.md5.release?.();
      // What is still on its way when a body is given up.
      this.md5.update(this.#bytes);
      return false;
    }
    if (this.#at >= size) {
      expect(digestOf(this.md5)).toBe(nodes(this.#bytes));
      this.md5.release?.();
      return false;
    }
    const piece = pieces[this.#turn % pieces.length] ?? 1;
    this.md5.update(this.#bytes.subarray(this.#at, this.#at + piece));
    this.#at += piece;
    this.#turn += 1;
    return true;
  }
}

describe('MD5 of streams side by side', () => {
  it('is that of each, however their bytes come, and whoever gives up', () => {
    const order = fc.array(fc.nat(1000), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(stream, { minLength: 1, maxLength: 14 }), order, (streams, turns) => {
        let senders = streams.map((sent, salt) => new Sender(sent, salt));
        for (let turn = 0; senders.length > 0; turn += 1) {
          const chosen = senders[(turns[turn % turns.length] ?? 0) % senders.length];
          if (chosen?.next() === false) senders = senders.filter((sender) => sender !== chosen);
        }
        expect(md5LanesOpen()).toBe(0);
      }),
      { seed: propertySeed, numRuns: 60 },
    );
  });

  it.each([1, 2, 3, 4, 6, 7, 8, 9, 25, MOST, MOST + 5])('%d of them, in pieces of 64 KiB', (count) => {
    const hashers = Array.from({ length: count }, () => createMd5(LONG));
    const bodies = hashers.map((_, salt) => bytesOf(300_000 + salt, salt));
    for (let at = 0; at < 300_000; at += 65_536) {
      for (const [n, hasher] of hashers.entries()) {
        hasher.update(bodies[n]?.subarray(at, at + 65_536) ?? Buffer.alloc(0));
      }
    }
    expect(md5LanesOpen()).toBe(Math.min(count, MOST));
    const last = hashers.map((hasher, n) => {
      hasher.update(bodies[n]?.subarray(5 * 65_536) ?? Buffer.alloc(0));
      return digestOf(hasher);
    });
    expect(last).toEqual(bodies.map((body) => nodes(body.subarray(0, 5 * 65_536), body.subarray(5 * 65_536))));
  });

  it('a lane that was given back is as new for whoever takes it next', () => {
    const abandoned = createMd5(LONG);
    abandoned.update(bytesOf(100_001, 5));
    abandoned.release?.();
    abandoned.release?.();
    const next = createMd5(LONG);
    const other = createMd5(LONG);
    next.update(bytesOf(10, 6));
    other.update(bytesOf(10, 7));
    abandoned.update(bytesOf(10, 8));
    expect([digestOf(next), digestOf(other)]).toEqual([nodes(bytesOf(10, 6)), nodes(bytesOf(10, 7))]);
    expect(() => abandoned.digest()).toThrow();
  });

  it('works through no more of others than of the one whose turn it is', () => {
    const lanes = new Md5Lanes();
    const [lead, mate] = [lanes.take(), lanes.take()];
    if (!(lead instanceof Md5Lane && mate instanceof Md5Lane)) throw new Error('no lanes');
    lanes.add(mate, bytesOf(RING, 1));
    lanes.add(lead, bytesOf(RING, 2));
    lanes.add(lead, bytesOf(640, 3));
    expect([lead.done, mate.done]).toEqual([640, 640]);
    expect(lanes.digest(mate).toString('hex')).toBe(nodes(bytesOf(RING, 1)));
    expect(lanes.digest(lead).toString('hex')).toBe(nodes(bytesOf(RING, 2), bytesOf(640, 3)));
  });
});
