import { createHash } from 'node:crypto';
import { crc32, crc32c } from '@node-rs/crc32';
import type { ChecksumAlgorithm, ChecksumHasher } from './algorithms.ts';
import { Crc64Nvme } from './crc64nvme.ts';
import { createMd5 } from './md5.ts';
import { XX_HASHERS } from './xxhash.ts';

const HASHERS: Readonly<Record<ChecksumAlgorithm, (bytes?: number) => ChecksumHasher>> = {
  CRC32: () => new Crc32Hasher(crc32),
  CRC32C: () => new Crc32Hasher(crc32c),
  CRC64NVME: () => new Crc64Nvme(),
  SHA1: () => createHash('sha1'),
  SHA256: () => createHash('sha256'),
  SHA512: () => createHash('sha512'),
  MD5: createMd5,
  ...XX_HASHERS,
};

/**
 * @param bytes how many will come at most, as far as that is known. A caller that gives it must release the hasher,
 * whatever becomes of the bytes.
 */
export function createChecksumHasher(algorithm: ChecksumAlgorithm, bytes?: number): ChecksumHasher {
  return HASHERS[algorithm](bytes);
}

class Crc32Hasher implements ChecksumHasher {
  readonly #step: (bytes: Uint8Array, state: number) => number;
  #state = 0;

  constructor(step: (bytes: Uint8Array, state: number) => number) {
    this.#step = step;
  }

  update(bytes: Uint8Array): void {
    this.#state = this.#step(bytes, this.#state);
  }

  digest(): Buffer {
    const out = Buffer.allocUnsafe(4);
    out.writeUInt32BE(this.#state);
    return out;
  }
}
