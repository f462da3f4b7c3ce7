import type { ChecksumAlgorithm } from './algorithms.ts';
import { combineCrc, type CrcAlgorithm } from './crc-combine.ts';
import { decodeChecksum } from './encoding.ts';
import { createChecksumHasher } from './hasher.ts';

/** One part's checksum (base64) and its size in bytes. */
interface PartChecksum {
  readonly value: string;
  readonly size: number;
}

/**
 * COMPOSITE checksum of an object in parts: the algorithm over the concatenated raw digests, base64,
 * and `-N`. Source: "Checking object integrity", S3 user guide.
 * @throws RangeError for a part value that is no checksum of this algorithm
 */
export function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly Pick<PartChecksum, 'value'>[]): string {
  const hasher = createChecksumHasher(algorithm);
  for (const part of parts) {
    hasher.update(digestOf(algorithm, part.value));
  }
  return `${hasher.digest().toString('base64')}-${parts.length}`;
}

/**
 * FULL_OBJECT checksum of an object in parts, computed from the parts' own: what the algorithm gives
 * over all bytes. Only CRCs can be combined.
 * @throws RangeError for a part value that is no checksum of this algorithm
 */
export function fullObjectChecksum(algorithm: CrcAlgorithm, parts: readonly PartChecksum[]): string {
  let combined = createChecksumHasher(algorithm).digest();
  for (const part of parts) {
    combined = combineCrc(algorithm, combined, { digest: digestOf(algorithm, part.value), size: part.size });
  }
  return combined.toString('base64');
}

function digestOf(algorithm: ChecksumAlgorithm, value: string): Buffer {
  const digest = decodeChecksum(algorithm, value);
  if (digest === undefined) {
    throw new RangeError(`not a ${algorithm} checksum: ${value}`);
  }
  return digest;
}
