import type { Readable } from 'node:stream';
import type { OpenEndedBody } from '../../streams/bytes.ts';
import type { ChecksumAlgorithm } from '../checksums/algorithms.ts';

/**
 * Who computes the MD5 of a body. `here`: the gateway. `ifDeclared`: the gateway, to compare it with Content-MD5.
 * `backend`: the backend, which is told Content-MD5 and judges it; of a held body it is as `ifDeclared`.
 */
export type Md5By = 'here' | 'ifDeclared' | 'backend';

export interface OpenBodyOptions {
  /** Bodies of up to this many bytes are read and verified whole before `open` resolves (`bytes` is set). */
  readonly holdBytes: number;
  /** Larger than this: 400 EntityTooLarge. */
  readonly maxSize: number;
  readonly md5: Md5By;
  /** Compute this checksum also when the client declared none (parts of an upload that was created with one). */
  readonly wantChecksum?: ChecksumAlgorithm;
  /**
   * Called once all bytes were received and verified, before the last of them is let through:
   * what throws here breaks the upload off with nothing stored.
   */
  readonly beforeEnd?: (facts: BodyFacts) => Promise<void>;
}

/** What was computed while the body went by. */
export interface BodyFacts {
  /** Hex; present when it was computed here. */
  readonly md5?: string;
  /** Verified when declared; base64. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string };
}

/**
 * The payload of PutObject or UploadPart.
 *
 * Held (`bytes` set): everything is verified already and `facts` is known. Streamed (`stream` set):
 * the stream holds its last bytes back until length, payload hash, chunk signatures, trailer,
 * checksums and Content-MD5 are verified; on any mismatch it is destroyed with the S3Error, so that
 * a backend write fed by it can never complete.
 */
export type ObjectBody =
  | { readonly kind: 'held'; readonly size: number; readonly bytes: Buffer; readonly facts: BodyFacts }
  | {
      readonly kind: 'streamed';
      readonly size: number;
      readonly stream: Readable;
      /** The digests that the headers declare before the first byte, so that metadata can go with the write. */
      readonly declared: {
        readonly md5?: string;
        readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value?: string };
      };
      /** Resolves when the stream has ended well; rejects with the S3Error that destroyed it. */
      readonly facts: Promise<BodyFacts>;
    };

/** Bytes that the file of a form may have; both inclusive. */
export interface FileSize {
  readonly min: number;
  readonly max: number;
}

/**
 * The file of a form. It is held in memory like any other body, or streamed with a length that is known at its end
 * only.
 */
export type FormBody =
  | Extract<ObjectBody, { kind: 'held' }>
  | {
      readonly kind: 'openEnded';
      readonly body: OpenEndedBody;
      readonly declared: Extract<ObjectBody, { kind: 'streamed' }>['declared'];
      /** Resolves together with the rest of the body. */
      readonly facts: Promise<BodyFacts>;
    };
