import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;

/**
 * A key for HMAC-SHA-256 (RFC 2104) over texts of a request's size, of which each small request needs two: for the
 * client's signature, and for the account key of the service. Two one-shot hashes with answers as text take a third of
 * the time that `createHmac` takes (1.7 us, not 4.6), which makes a stream for each use. A property test holds it to
 * `createHmac`.
 */
export class HmacKey {
  /** The key in the first block of the inner hash; latin1 text. */
  readonly #inner: string;
  /** The same of the outer hash, and room for the inner digest behind it. Nothing is awaited between the two. */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER);

  constructor(key: Uint8Array) {
    const block = Buffer.alloc(BLOCK_BYTES);
    if (key.length > BLOCK_BYTES) block.write(hash('sha256', key, 'hex'), 'hex');
    else block.set(key);
    const inner = Buffer.alloc(BLOCK_BYTES, INNER);
    for (const [at, byte] of block.entries()) {
      inner[at] = byte ^ INNER;
      this.#outer[at] = byte ^ OUTER;
    }
    this.#inner = inner.toString('latin1');
  }

  /** @param text one character a byte */
  ofLatin1(text: string, encoding: 'hex' | 'base64'): string {
    const digest = hash('sha256', Buffer.from(this.#inner + text, 'latin1'), 'binary');
    this.#outer.write(digest, BLOCK_BYTES, 'latin1');
    return hash('sha256', this.#outer, encoding);
  }

  /** @param text is signed as UTF-8 */
  ofUtf8(text: string, encoding: 'hex' | 'base64'): string {
    return this.ofLatin1(Buffer.from(text).toString('latin1'), encoding);
  }
}
