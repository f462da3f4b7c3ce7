import { createHash, hash, type Hash } from 'node:crypto';
import type { HmacKey } from '../streams/hmac-key.ts';
import { sign, signatureMatches } from './signature.ts';

/** The key material for the signatures of chunks and trailers, taken from the request's own signature. */
export interface ChunkSigningContext {
  readonly signingKey: HmacKey;
  /** `yyyymmddThhmmssZ` of the request. */
  readonly amzDate: string;
  readonly scope: string;
  /** Hex. The request's own signature: the first chunk's "previous signature". */
  readonly seedSignature: string;
}

const EMPTY_SHA256 = hash('sha256', '', 'hex');

/**
 * The chain of chunk signatures of one body: feed a chunk's bytes, then check its signature; at the
 * end the trailer's. Rules: "Signature calculations for the Authorization header: transferring
 * payload in multiple chunks", S3 API reference.
 */
export class ChunkSignatureChain {
  readonly #context: ChunkSigningContext;
  #previous: string;
  #chunkHash: Hash | undefined;

  constructor(context: ChunkSigningContext) {
    this.#context = context;
    this.#previous = context.seedSignature;
  }

  update(bytes: Uint8Array): void {
    this.#chunkHash ??= createHash('sha256');
    this.#chunkHash.update(bytes);
  }

  /** True when `signature` (hex) is right for the bytes fed since the last chunk ended. */
  endChunk(signature: string): boolean {
    const dataHash = this.#chunkHash?.digest('hex') ?? EMPTY_SHA256;
    this.#chunkHash = undefined;
    return this.#link('AWS4-HMAC-SHA256-PAYLOAD', `${EMPTY_SHA256}\n${dataHash}`, signature);
  }

  /** `trailer` is `name:value\n` for each trailing header, names in lower case; latin1 text. */
  endTrailer(trailer: string, signature: string): boolean {
    return this.#link('AWS4-HMAC-SHA256-TRAILER', hash('sha256', Buffer.from(trailer, 'latin1'), 'hex'), signature);
  }

  #link(algorithm: string, hashes: string, signature: string): boolean {
    const { signingKey, amzDate, scope } = this.#context;
    const expected = sign(signingKey, `${algorithm}\n${amzDate}\n${scope}\n${this.#previous}\n${hashes}`);
    this.#previous = expected;
    return signatureMatches(expected, signature);
  }
}
