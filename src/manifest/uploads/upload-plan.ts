import { hash } from 'node:crypto';
import { S3Error } from '../../errors/s3-error.ts';
import {
  type Checksum,
  type ChecksumAlgorithm,
  type ChecksumType,
  checksumHeader,
} from '../../protocol/checksums/algorithms.ts';
import { isCrc } from '../../protocol/checksums/crc-combine.ts';
import { compositeChecksum, fullObjectChecksum } from '../../protocol/checksums/multipart-checksum.ts';
import { bareTag } from '../../protocol/conditions.ts';
import type { Encryption, Piece } from '../records/encryption.ts';
import { versionOfUpload } from '../records/upload-id.ts';
import type { PartEntry } from '../records/field-codes.ts';
import type { Upload } from './upload-find.ts';
import type { PartRecord } from '../records/upload-part-record.ts';

/** 5 TiB. */

/** A part as CompleteMultipartUpload names it. */
export interface ListedPart {
  readonly number: number;
  /** With or without quotes and blanks. */
  readonly etag: string;
  readonly checksums: Readonly<Partial<Record<ChecksumAlgorithm, string>>>;
}

/** What the client says of the object that the parts make. */
export interface ExpectedObject {
  readonly size?: number;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string };
  readonly checksumType?: ChecksumType;
}

export interface CompletionRequest {
  /** At least one. */
  readonly parts: readonly ListedPart[];
  readonly expected: ExpectedObject;
}

/** The object that a list of parts makes. */
export interface ObjectPlan {
  readonly etag: string;
  readonly size: number;
  readonly tokens: readonly string[];
  readonly parts: readonly PartEntry[];
  readonly checksum?: Checksum;
  /** Of an encrypted upload, whose parts are not assembled. */
  readonly encryption?: Encryption;
  readonly pieces?: readonly Piece[];
}

/** Hash of the numbers and ETags of a list of parts, in order. */
export function listHashOf(parts: readonly ListedPart[]): string {
  let text = '';
  for (const part of parts) text += `${part.number}:${bareTag(part.etag)}\n`;
  return hash('sha256', text, 'base64url');
}

/** @throws S3Error InvalidPartOrder */
export function requireAscending(parts: readonly ListedPart[], uploadId: string): void {
  let previous = 0;
  for (const { number } of parts) {
    if (number <= previous) throw new S3Error('InvalidPartOrder', { extra: { UploadId: uploadId } });
    previous = number;
  }
}

/**
 * Judges a Complete by the parts that exist, and says what object they make. Changes nothing.
 * @throws S3Error InvalidPart, EntityTooSmall, EntityTooLarge, InvalidRequest, BadDigest
 */
export function planObject(
  upload: Upload,
  request: CompletionRequest,
  stored: ReadonlyMap<number, PartRecord>,
  limits: SizeLimits,
): ObjectPlan {
  const parts: PartRecord[] = [];
  const tokens: string[] = [];
  let size = 0;
  for (const listed of request.parts) {
    const part = matchPart(upload, listed, stored.get(listed.number));
    parts.push(part);
    for (const token of part.tokens) tokens.push(token);
    size += part.size;
  }
  requireSizes(parts, { size, expected: request.expected.size }, limits);
  const checksum = checksumOf(upload, parts, request.expected);
  const { encryption: by, uploadId } = upload;
  return {
    etag: multipartEtag(parts),
    size,
    tokens,
    parts: parts.map((part) => entryOf(part, checksum?.algorithm)),
    ...(checksum !== undefined && { checksum }),
    ...(by !== undefined && {
      encryption: { by, size, token: versionOfUpload(uploadId) },
      pieces: parts.flatMap((part) => part.pieces ?? []),
    }),
  };
}

function entryOf({ number, size, checksum }: PartRecord, algorithm: ChecksumAlgorithm | undefined): PartEntry {
  if (algorithm === undefined || checksum?.algorithm !== algorithm) return { number, size };
  return { number, size, checksum: checksum.value };
}

/** MD5 over the binary ETags of the parts, and their number. */
function multipartEtag(parts: readonly PartRecord[]): string {
  let etags = '';
  for (const part of parts) etags += part.etag;
  return `${hash('md5', Buffer.from(etags, 'hex'), 'hex')}-${parts.length}`;
}

function matchPart({ uploadId, checksum }: Upload, listed: ListedPart, part: PartRecord | undefined): PartRecord {
  if (part?.etag !== bareTag(listed.etag).toLowerCase()) throw invalidPartOf(listed, uploadId);
  const { checksums } = listed;
  for (const algorithm in checksums) {
    // S3 has one error for a checksum of another algorithm than the upload's, and another one for a part that is not
    // the one that was meant.
    if (checksum !== undefined && checksum.algorithm !== algorithm) {
      throw new S3Error('BadDigest', {
        message: `The ${algorithm.toLowerCase()} you specified for part ${listed.number} did not match what we received.`,
      });
    }
    const isMeant =
      part.checksum?.algorithm === algorithm && part.checksum.value === checksums[part.checksum.algorithm];
    if (!isMeant) throw invalidPartOf(listed, uploadId);
  }
  return part;
}

function invalidPartOf({ number, etag }: ListedPart, uploadId: string): S3Error {
  return new S3Error('InvalidPart', { extra: { UploadId: uploadId, PartNumber: number, ETag: bareTag(etag) } });
}

/** Bytes. */
interface SizeLimits {
  /** Of every part but the last. */
  readonly minPartSize: number;
  /** Of the object; what the service takes if that is less. */
  readonly maxObjectSize: number;
}

interface Sizes {
  /** Of all parts together. */
  readonly size: number;
  /** As the client says; undefined: it does not say. */
  readonly expected: number | undefined;
}

function requireSizes(
  parts: readonly PartRecord[],
  { size, expected }: Sizes,
  { minPartSize, maxObjectSize }: SizeLimits,
): void {
  for (const part of parts.slice(0, -1)) {
    if (part.size >= minPartSize) continue;
    throw new S3Error('EntityTooSmall', {
      extra: { ProposedSize: part.size, MinSizeAllowed: minPartSize, PartNumber: part.number, ETag: part.etag },
    });
  }
  if (size > maxObjectSize) {
    throw new S3Error('EntityTooLarge', { extra: { ProposedSize: size, MaxSizeAllowed: maxObjectSize } });
  }
  if (expected !== undefined && expected !== size) {
    throw invalidRequest(
      `The provided 'x-amz-mp-object-size' header value ${expected} does not match what was computed: ${size}`,
    );
  }
}

/**
 * The object's checksum. It has one if the upload was created with an algorithm and every part has a checksum. Copied
 * parts have none, and then the object has none either (S3 API reference, UploadPartCopy).
 */
function checksumOf(
  { checksum: declared }: Upload,
  parts: readonly PartRecord[],
  expected: ExpectedObject,
): Checksum | undefined {
  if (expected.checksumType !== undefined && expected.checksumType !== declared?.type) {
    const created = declared?.type ?? 'null';
    throw invalidRequest(
      `The upload was created using the ${created} checksum mode. The complete request must use the same checksum mode.`,
    );
  }
  const computed = declared === undefined ? undefined : combine(declared, parts);
  const { checksum: claimed } = expected;
  if (claimed === undefined) return computed;
  if (computed === undefined) {
    throw invalidRequest(
      `${checksumHeader(claimed.algorithm)} cannot be checked: the upload has no checksum of this algorithm for every part.`,
    );
  }
  const value =
    declared?.type === 'COMPOSITE' && !claimed.value.includes('-') ? `${claimed.value}-${parts.length}` : claimed.value;
  // S3 names the upload's algorithm, whichever the client's is (recorded for FULL_OBJECT).
  if (claimed.algorithm !== computed.algorithm || value !== computed.value) {
    throw new S3Error('BadDigest', {
      message: `The ${computed.algorithm.toLowerCase()} you specified did not match the calculated checksum.`,
    });
  }
  return computed;
}

function combine(
  { algorithm, type }: NonNullable<Upload['checksum']>,
  parts: readonly PartRecord[],
): Checksum | undefined {
  const values: { value: string; size: number }[] = [];
  for (const { checksum, size } of parts) {
    if (checksum?.algorithm !== algorithm) return undefined;
    values.push({ value: checksum.value, size });
  }
  if (type === 'COMPOSITE') return { algorithm, type, value: compositeChecksum(algorithm, values) };
  return isCrc(algorithm) ? { algorithm, type, value: fullObjectChecksum(algorithm, values) } : undefined;
}

function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}
