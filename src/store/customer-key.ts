import { createHash } from 'node:crypto';

/** Bytes of a key for AES-256. */
export const CUSTOMER_KEY_BYTES = 32;

/**
 * A key that a client shows with each request. It goes to the service in a header and nowhere else: it has no
 * property that a log, a trace or a serializer would find, and shows itself as what it is, not as what it says.
 */
export class CustomerKey {
  readonly #bytes: Buffer;

  /** @param bytes 32 of them, kept as a copy */
  constructor(bytes: Uint8Array) {
    if (bytes.byteLength !== CUSTOMER_KEY_BYTES) throw new RangeError('a key of a customer has 32 bytes');
    this.#bytes = Buffer.from(bytes);
  }

  /** For the header that hands it over. */
  base64(): string {
    return this.#bytes.toString('base64');
  }

  /** Digest by which a service checks what it was handed. */
  digestBase64(algorithm: 'md5' | 'sha256'): string {
    return createHash(algorithm).update(this.#bytes).digest('base64');
  }

  /** Lends the bytes of the key to work whose result only the holder of the key could have made. */
  use<T>(work: (bytes: Uint8Array) => T): T {
    return work(this.#bytes);
  }

  toString(): string {
    return '[key of a customer]';
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** How a blob is encrypted beyond the encryption that the service applies to every blob. */
export type BlobEncryption =
  | { readonly kind: 'customer'; readonly key: CustomerKey }
  /** A key that the service knows by name: an encryption scope of Azure's, a key of Cloud KMS. */
  | { readonly kind: 'service'; readonly name: string };
