import type { ChecksumAlgorithm } from './algorithms.ts';

const DIGEST_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
  SHA512: 64,
  MD5: 16,
  XXHASH64: 8,
  XXHASH3: 8,
  XXHASH128: 16,
};

/** The digest behind a base64 text; undefined unless it is exactly one of this algorithm (no `-N`). */
export function decodeChecksum(algorithm: ChecksumAlgorithm, value: string): Buffer | undefined {
  return decodeBase64(value, DIGEST_BYTES[algorithm]);
}

/** Strict: padded, of the given length, nothing else in the text. */
export function decodeBase64(value: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === length && bytes.toString('base64') === value ? bytes : undefined;
}
