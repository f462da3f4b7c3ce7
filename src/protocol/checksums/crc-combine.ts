import type { ChecksumAlgorithm } from './algorithms.ts';

export type CrcAlgorithm = Extract<ChecksumAlgorithm, 'CRC32' | 'CRC32C' | 'CRC64NVME'>;

export function isCrc(algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm {
  return algorithm in FIELDS;
}

/**
 * Polynomials over GF(2) modulo a CRC's own, in its reflected bit order: the most significant bit
 * stands for x^0.
 */
class CrcField {
  readonly bytes: number;
  readonly #polynomial: bigint;
  readonly #one: bigint;
  /** Entry n: x^(2^n). */
  readonly #squares: bigint[];
  /** Parts of an upload mostly share one size, so the last power is kept. */
  #lastSize = 0;
  #lastPower: bigint;

  constructor(polynomial: bigint, bytes: number) {
    this.bytes = bytes;
    this.#polynomial = polynomial;
    this.#one = 1n << BigInt(bytes * 8 - 1);
    this.#squares = [this.#one >> 1n];
    this.#lastPower = this.#one;
  }

  multiply(a: bigint, b: bigint): bigint {
    let product = 0n;
    let term = b;
    for (let bit = this.#one; bit > 0n; bit >>= 1n) {
      if ((a & bit) !== 0n) {
        product ^= term;
      }
      term = (term & 1n) === 0n ? term >> 1n : (term >> 1n) ^ this.#polynomial;
    }
    return product;
  }

  /** x^(8 * size): what `size` further bytes do to a CRC. */
  shift(size: number): bigint {
    if (size === this.#lastSize) {
      return this.#lastPower;
    }
    let power = this.#one;
    let exponent = 3;
    for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) {
        power = this.multiply(this.#square(exponent), power);
      }
      exponent += 1;
    }
    this.#lastSize = size;
    this.#lastPower = power;
    return power;
  }

  #square(n: number): bigint {
    for (let known = this.#squares.length; known <= n; known += 1) {
      const last = this.#squares[known - 1] ?? 0n;
      this.#squares.push(this.multiply(last, last));
    }
    return this.#squares[n] ?? 0n;
  }
}

const FIELDS: Readonly<Record<CrcAlgorithm, CrcField>> = {
  CRC32: new CrcField(0xedb88320n, 4),
  CRC32C: new CrcField(0x82f63b78n, 4),
  CRC64NVME: new CrcField(0x9a6c9329ac4bc9b5n, 8),
};

/** The CRC of `a` followed by `b`, from the CRC of each and the size of `b` in bytes. */
export function combineCrc(
  algorithm: CrcAlgorithm,
  a: Buffer,
  b: { readonly digest: Buffer; readonly size: number },
): Buffer {
  const field = FIELDS[algorithm];
  const combined = field.multiply(field.shift(b.size), toBigInt(a)) ^ toBigInt(b.digest);
  return Buffer.from(combined.toString(16).padStart(field.bytes * 2, '0'), 'hex');
}

function toBigInt(digest: Buffer): bigint {
  return BigInt(`0x${digest.toString('hex')}`);
}
