import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CHECKSUM_ALGORITHMS,
  checksumHeader,
  type ChecksumAlgorithm,
} from '../../../../src/protocol/checksums/algorithms.ts';
import { isCrc } from '../../../../src/protocol/checksums/crc-combine.ts';
import { decodeBase64, decodeChecksum } from '../../../../src/protocol/checksums/encoding.ts';
import { createChecksumHasher } from '../../../../src/protocol/checksums/hasher.ts';
import { compositeChecksum, fullObjectChecksum } from '../../../../src/protocol/checksums/multipart-checksum.ts';

function checksumOf(algorithm: ChecksumAlgorithm, ...pieces: readonly Uint8Array[]): string {
  const hasher = createChecksumHasher(algorithm);
  for (const piece of pieces) {
    hasher.update(piece);
  }
  return hasher.digest().toString('base64');
}

// Of the check string of the CRC catalogue; SHA and MD5 are those of `printf 123456789 | sha1sum` and so on, XXHash
// those of `awscrt`.
const CHECK_VALUES: Readonly<Record<ChecksumAlgorithm, string>> = {
  CRC32: 'y/Q5Jg==',
  CRC32C: '4waSgw==',
  CRC64NVME: 'rosUhgp5mIg=',
  SHA1: Buffer.from('f7c3bc1d808e04732adf679965ccc34ca7ae3441', 'hex').toString('base64'),
  SHA256: Buffer.from('15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225', 'hex').toString('base64'),
  SHA512: Buffer.from(
    'd9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85',
    'hex',
  ).toString('base64'),
  MD5: Buffer.from('25f9e794323b453885f5181f1b624d0b', 'hex').toString('base64'),
  XXHASH64: 'jLhB20DmroM=',
  XXHASH3: 'ctyxi2ehff8=',
  XXHASH128: 'MxGUd+3l3NXpcWQnaB1YYA==',
};
const EMPTY_VALUES = { CRC32: 'AAAAAA==', CRC32C: 'AAAAAA==', CRC64NVME: 'AAAAAAAAAAA=' };

describe.each(CHECKSUM_ALGORITHMS)('%s', (algorithm) => {
  it('has the published check value', () => {
    expect(checksumOf(algorithm, Buffer.from('123456789'))).toBe(CHECK_VALUES[algorithm]);
  });

  it('does not depend on how the bytes are cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(300), (bytes, i, j) => {
        const [from, to] = i < j ? [i, j] : [j, i];
        expect(checksumOf(algorithm, bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to))).toBe(
          checksumOf(algorithm, bytes),
        );
      }),
    );
  });

  it('of several bodies at a time is that of each', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.uint8Array({ maxLength: 400 })), { maxLength: 24 }), (pieces) => {
        const hashers = Array.from({ length: 4 }, () => createChecksumHasher(algorithm));
        for (const [body, piece] of pieces) hashers[body]?.update(piece);
        const whole = (body: number): Uint8Array[] => pieces.flatMap(([of, piece]) => (of === body ? [piece] : []));
        expect(hashers.map((hasher) => hasher.digest().toString('base64'))).toEqual(
          hashers.map((_hasher, body) => checksumOf(algorithm, ...whole(body))),
        );
      }),
    );
  });

  it('decodes only its own form', () => {
    const value = CHECK_VALUES[algorithm];
    expect(decodeChecksum(algorithm, value)?.toString('base64')).toBe(value);
    for (const bad of ['', value.slice(1), `${value}-2`, ` ${value}`, value.replace('=', ''), `A${value}`, 'bad!']) {
      expect(decodeChecksum(algorithm, bad), bad).toBeUndefined();
    }
  });
});

const CRCS = CHECKSUM_ALGORITHMS.filter(isCrc);

describe('FULL_OBJECT', () => {
  it.each(CRCS)('%s of parts is that of the whole', (algorithm) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }), (parts) => {
        const values = parts.map((part) => ({ value: checksumOf(algorithm, part), size: part.length }));
        expect(fullObjectChecksum(algorithm, values)).toBe(checksumOf(algorithm, ...parts));
      }),
    );
  });

  it.each(CRCS)('%s of large parts of equal size and a small one', (algorithm) => {
    const part = Buffer.alloc(5 * 1024 * 1024, 'abcdefg');
    const last = Buffer.from('the end');
    const values = [part, part, part, last].map((bytes) => ({
      value: checksumOf(algorithm, bytes),
      size: bytes.length,
    }));
    expect(fullObjectChecksum(algorithm, values)).toBe(checksumOf(algorithm, part, part, part, last));
  });

  it.each(CRCS)('%s of nothing', (algorithm) => {
    expect(fullObjectChecksum(algorithm, [])).toBe(EMPTY_VALUES[algorithm]);
  });

  it('refuses a value of another algorithm', () => {
    expect(() => fullObjectChecksum('CRC32', [{ value: CHECK_VALUES.CRC64NVME, size: 9 }])).toThrow(RangeError);
  });

  it('is for CRCs only', () => {
    expect(CHECKSUM_ALGORITHMS.filter(isCrc)).toEqual(['CRC32', 'CRC32C', 'CRC64NVME']);
  });
});

describe('COMPOSITE', () => {
  it.each(CHECKSUM_ALGORITHMS)('%s is the checksum of the raw digests, with the number of parts', (algorithm) => {
    const parts = ['one', 'two', 'three'].map((text) => ({ value: checksumOf(algorithm, Buffer.from(text)) }));
    const raw = Buffer.concat(parts.map((part) => Buffer.from(part.value, 'base64')));
    expect(compositeChecksum(algorithm, parts)).toBe(`${checksumOf(algorithm, raw)}-3`);
  });

  it('of one SHA256 part', () => {
    // sha256 of the 32 bytes of sha256('123456789')
    expect(compositeChecksum('SHA256', [{ value: CHECK_VALUES.SHA256 }])).toBe(
      `${checksumOf('SHA256', Buffer.from(CHECK_VALUES.SHA256, 'base64'))}-1`,
    );
  });
});

describe('names and texts', () => {
  it('header names', () => {
    expect(CHECKSUM_ALGORITHMS.map(checksumHeader)).toEqual([
      'x-amz-checksum-crc32',
      'x-amz-checksum-crc32c',
      'x-amz-checksum-crc64nvme',
      'x-amz-checksum-sha1',
      'x-amz-checksum-sha256',
      'x-amz-checksum-sha512',
      'x-amz-checksum-md5',
      'x-amz-checksum-xxhash64',
      'x-amz-checksum-xxhash3',
      'x-amz-checksum-xxhash128',
    ]);
  });

  it.each([
    ['rL0Y20zC+Fzt72VPzMSk2A==', true],
    ['rL0Y20zC+Fzt72VPzMSk2A', false],
    ['rL0Y20zC-Fzt72VPzMSk2A==', false],
    ['', false],
  ])('base64 %s', (text, good) => {
    expect(decodeBase64(text, 16) !== undefined).toBe(good);
  });
});
