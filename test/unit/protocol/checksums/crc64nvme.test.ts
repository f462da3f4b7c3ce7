import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MULTIPLE } from '../../../../src/protocol/checksums/crc64nvme-module.ts';
import { Crc64Nvme } from '../../../../src/protocol/checksums/crc64nvme.ts';
import { propertySeed } from '../../../support/property-seed.ts';

const POLYNOMIAL = 0x9a6c9329ac4bc9b5n;
const ONES = 0xffffffffffffffffn;

/** Bit by bit, as the definition says it: the CRC of nothing, of the first byte, of the first two, and so on. */
function* oracles(bytes: Uint8Array): Generator<string> {
  const told = (crc: bigint): string => (crc ^ ONES).toString(16).padStart(16, '0');
  let crc = ONES;
  yield told(crc);
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1n) === 1n ? (crc >> 1n) ^ POLYNOMIAL : crc >> 1n;
    yield told(crc);
  }
}

function oracle(bytes: Uint8Array): string {
  return [...oracles(bytes)].at(-1) ?? '';
}

function crcOf(...pieces: Uint8Array[]): string {
  const hasher = new Crc64Nvme();
  for (const piece of pieces) hasher.update(piece);
  return hasher.digest().toString('hex');
}

describe('CRC64NVME', () => {
  it('is that of the definition, however the bytes come', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), fc.nat(200), (bytes, i, j) => {
        const [first, second] = [Math.min(i, j), Math.max(i, j)];
        const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        expect(crcOf(...pieces)).toBe(oracle(bytes));
      }),
      { seed: propertySeed, numRuns: 500 },
    );
  });

  it('divides by a multiple of the polynomial', () => {
    const remainder = (power: number): bigint => {
      let crc = 1n << 63n;
      for (let bit = 0; bit < power; bit += 1) crc = (crc & 1n) === 1n ? (crc >> 1n) ^ POLYNOMIAL : crc >> 1n;
      return crc;
    };
    expect(MULTIPLE.map((power) => remainder(8 * power)).reduce((sum, each) => sum ^ each)).toBe(0n);
  });

  it('is that of the definition where a multiple is divided out, and where pieces are too short for it', () => {
    const noise = Buffer.alloc(40_000);
    for (let i = 0; i < noise.length; i += 1) noise[i] = Math.imul(i + 1, 2_654_435_761) >>> 24;
    const expected = [...oracles(noise)];
    const piece = fc.oneof(fc.nat(20), fc.integer({ min: 3480, max: 3560 }), fc.nat(20_000));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (sizes) => {
        let [from, pieces]: [number, Buffer[]] = [0, []];
        for (const size of sizes) {
          pieces = [...pieces, noise.subarray(from, from + size)];
          from = Math.min(noise.length, from + size);
        }
        expect(crcOf(...pieces)).toBe(expected[from]);
      }),
      { seed: propertySeed, numRuns: 300 },
    );
  });

  it('is right beyond the memory that a piece is copied to, and at its ends', () => {
    for (const size of [65_535, 65_536, 65_537, 131_072, 200_003]) {
      const bytes = Buffer.alloc(size);
      for (let i = 0; i < size; i += 1) bytes[i] = (i * 31 + (i >> 8)) & 255;
      expect(crcOf(bytes)).toBe(oracle(bytes));
      expect(crcOf(bytes.subarray(0, 7), bytes.subarray(7))).toBe(oracle(bytes));
    }
  });

  it('of bodies that come at the same time is that of each', () => {
    const hashers = [new Crc64Nvme(), new Crc64Nvme(), new Crc64Nvme()];
    const bodies = hashers.map((_, n) => Buffer.from(`body ${n} `.repeat(1000 * (n + 1))));
    for (let at = 0; at < 30_000; at += 777) {
      for (const [n, hasher] of hashers.entries()) hasher.update(bodies[n]?.subarray(at, at + 777) ?? Buffer.alloc(0));
    }
    expect(hashers.map((hasher) => hasher.digest().toString('hex'))).toEqual(bodies.map((body) => oracle(body)));
  });
});
