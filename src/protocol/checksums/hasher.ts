import { createHash } from 'node:crypto';
import { crc32, crc32c } from '@node-rs/crc32';
import type { ChecksumAlgorithm, ChecksumHasher } from './algorithms.ts';
import { Crc64Nvme } from './crc64nvme.ts';
import { XX_HASHERS } from './xxhash.ts';

const HASHERS: Readonly<Record<ChecksumAlgorithm, () => ChecksumHasher>> = {
  CRC32: () => new Crc32Hasher(crc32),
  CRC32C: () => new Crc32Hasher(crc32c),
  CRC64NVME: () => new Crc64Nvme(),
  SHA1: () => createHash('sha1'),
  SHA256: () => createHash('sha256'),
  SHA512: () => createHash('sha512'),
  MD5: () => createHash('md5'),
  ...XX_HASHERS,
};

export function createChecksumHasher(algorithm: ChecksumAlgorithm): ChecksumHasher {
  return HASHERS[algorithm]();
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
