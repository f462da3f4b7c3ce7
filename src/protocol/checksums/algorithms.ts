/** Checksums that S3 clients declare and S3 stores. Order is the order in which AWS lists them. */
export const CHECKSUM_ALGORITHMS = [
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'SHA1',
  'SHA256',
  'SHA512',
  'MD5',
  'XXHASH64',
  'XXHASH3',
  'XXHASH128',
] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];
export type ChecksumType = 'COMPOSITE' | 'FULL_OBJECT';

/** One checksum over bytes that come piece by piece. */
export interface ChecksumHasher {
  update(bytes: Uint8Array): void;
  /** The raw digest, most significant byte first; call once, at the end. */
  digest(): Buffer;
  /** Resolves when more bytes cost less than they do now. Undefined: there is nothing to wait for. */
  room?(): Promise<undefined> | undefined;
  /** Gives back what it holds, whether there was a digest or not. Bytes that come later go nowhere. */
  release?(): void;
}

/** A stored checksum: base64, with `-N` when composite. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: string;
  readonly type: ChecksumType;
}

/** `x-amz-checksum-crc32c` and so on. */
export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}
