import { createHash, type Hash } from 'node:crypto';
import type { PayloadMode } from '../../auth/payload-mode.ts';
import { S3Error } from '../../errors/s3-error.ts';
import type { Digest, RequestBodyFacts } from '../../observe/request-facts.ts';
import { checksumHeader, type ChecksumAlgorithm, type ChecksumHasher } from '../checksums/algorithms.ts';
import { createChecksumHasher } from '../checksums/hasher.ts';
import { createMd5 } from '../checksums/md5.ts';
import { checkedValue, type DeclaredDigests } from './declared-digests.ts';
import type { BodyFacts, Md5By } from './object-body.ts';
import type { TrailerField } from './trailer.ts';

interface VerifierOptions {
  readonly payload: PayloadMode;
  readonly declared: DeclaredDigests;
  readonly md5: Md5By;
  /** Used when the client declared no checksum of its own. */
  readonly wantChecksum?: ChecksumAlgorithm | undefined;
  /** Most that may come, as far as that is known. Who tells it calls `release`. */
  readonly size?: number | undefined;
  /** What is computed is written down here, whether it fits or not. */
  readonly facts?: RequestBodyFacts | undefined;
}

/**
 * Hashes a payload as it goes by and compares with all that was declared about it. `finish` may
 * become asynchronous without its callers noticing much, should hashing move to a worker.
 */
export class PayloadVerifier {
  readonly #options: VerifierOptions;
  readonly #md5: ChecksumHasher | undefined;
  readonly #sha256: Hash | undefined;
  readonly #algorithm: ChecksumAlgorithm | undefined;
  readonly #checksum: ChecksumHasher | undefined;
  readonly #hashers: readonly ChecksumHasher[];

  constructor(options: VerifierOptions) {
    this.#options = options;
    const { size } = options;
    const hasMd5 = options.md5 === 'here' || (options.md5 === 'ifDeclared' && options.declared.md5 !== undefined);
    this.#md5 = hasMd5 ? createMd5(size) : undefined;
    this.#sha256 = options.payload.kind === 'hash' ? createHash('sha256') : undefined;
    this.#algorithm = options.declared.checksum?.algorithm ?? options.wantChecksum;
    this.#checksum = this.#algorithm === undefined ? undefined : createChecksumHasher(this.#algorithm, size);
    this.#hashers = [this.#md5, this.#sha256, this.#checksum].filter((hasher) => hasher !== undefined);
  }

  update(bytes: Uint8Array): void {
    for (const hasher of this.#hashers) {
      hasher.update(bytes);
    }
  }

  /** Resolves when more bytes should come. Undefined: at once. Nothing breaks if they come earlier. */
  room(): Promise<undefined> | undefined {
    for (const hasher of this.#hashers) {
      const room = hasher.room?.();
      if (room !== undefined) return room;
    }
    return undefined;
  }

  /** Gives back what the hashes hold. To be called however the body ends; bytes that come later are not looked at. */
  release(): void {
    for (const hasher of this.#hashers) hasher.release?.();
  }

  /**
   * Call once, after the last byte.
   * @throws S3Error XAmzContentSHA256Mismatch, MalformedTrailerError, InvalidRequest, BadDigest
   */
  finish(trailer: readonly TrailerField[]): BodyFacts {
    this.#verifySha256();
    const expected = this.#expectedChecksum(trailer);
    const md5 = this.#verifiedMd5();
    const checksum = this.#verifiedChecksum(expected);
    return { ...(md5 !== undefined && { md5 }), ...(checksum !== undefined && { checksum }) };
  }

  #verifySha256(): void {
    const { payload } = this.#options;
    const computed = this.#sha256?.digest('hex');
    this.#note('sha256', computed);
    if (payload.kind === 'hash' && computed !== undefined && payload.sha256 !== computed) {
      throw new S3Error('XAmzContentSHA256Mismatch', {
        extra: { ClientComputedContentSHA256: payload.sha256, S3ComputedContentSHA256: computed },
      });
    }
  }

  /** The declared value, from the header or from exactly the trailer that was announced. */
  #expectedChecksum(trailer: readonly TrailerField[]): string | undefined {
    const { checksum } = this.#options.declared;
    const announced =
      checksum !== undefined && checksum.value === undefined ? [checksumHeader(checksum.algorithm)] : [];
    if (trailer.map((field) => field.name).join() !== announced.join()) {
      throw new S3Error('MalformedTrailerError');
    }
    const value = trailer[0]?.value;
    if (checksum !== undefined && value !== undefined) {
      noteTrailer(this.#options.facts, checksum.algorithm, value);
      checkedValue(checksum.algorithm, value);
    }
    return checksum?.value ?? value;
  }

  #verifiedMd5(): string | undefined {
    const computed = this.#md5?.digest();
    const expected = this.#options.declared.md5;
    this.#note('md5', computed?.toString('hex'));
    if (computed !== undefined && expected !== undefined && !computed.equals(expected)) {
      throw new S3Error('BadDigest', {
        extra: { CalculatedDigest: computed.toString('base64'), ExpectedDigest: expected.toString('hex') },
      });
    }
    return computed?.toString('hex');
  }

  #verifiedChecksum(expected: string | undefined): BodyFacts['checksum'] {
    const value = this.#checksum?.digest().toString('base64');
    if (this.#algorithm === undefined || value === undefined) {
      return undefined;
    }
    this.#note(this.#algorithm, value);
    if (expected !== undefined && expected !== value) {
      throw new S3Error('BadDigest', {
        message: `The ${this.#algorithm} you specified did not match the calculated checksum.`,
      });
    }
    return { algorithm: this.#algorithm, value };
  }

  #note(algorithm: string, value: string | undefined): void {
    if (value !== undefined) this.#options.facts?.computed.push({ algorithm, value });
  }
}

interface Announced {
  readonly payload: PayloadMode;
  readonly declared: DeclaredDigests;
  readonly contentLength: number | undefined;
  readonly declaredSize: number | undefined;
}

/** What is known of a body before its first byte. */
export function bodyFacts({ payload, declared, contentLength, declaredSize }: Announced): RequestBodyFacts {
  const { md5, checksum } = declared;
  const digests: Digest[] = [];
  if (payload.kind === 'hash') digests.push({ algorithm: 'sha256', value: payload.sha256 });
  if (md5 !== undefined) digests.push({ algorithm: 'md5', value: md5.toString('hex') });
  if (checksum !== undefined) digests.push({ algorithm: checksum.algorithm, value: checksum.value });
  return {
    framing: payload.kind,
    contentLength,
    declaredSize,
    received: 0,
    chunks: 0,
    declared: digests,
    computed: [],
  };
}

/** A checksum that was announced for the trailer has come. */
function noteTrailer(facts: RequestBodyFacts | undefined, algorithm: string, value: string): void {
  const announced = facts?.declared.find((digest) => digest.algorithm === algorithm);
  if (announced !== undefined) announced.value = value;
}
