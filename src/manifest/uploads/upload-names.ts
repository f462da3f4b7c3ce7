import { decodeOrdered, encodeOrderedPrefix, encodeOrderedWithin, isCutEncoding, type OrderedLimits } from '../../store/key-codec.ts';
import type { BlobRef } from '../../store/blob-store.ts';
import type { Bucket, BucketHome } from '../buckets/bucket.ts';
import { versionRef } from '../records/version-names.ts';
import { UPLOAD_ID_LENGTH, isUploadId, versionOfUpload } from './upload-id.ts';

/** How clients name an upload. */
export interface UploadTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly uploadId: string;
}

/** Stands below every continuation of an encoded key, so that the uploads of one key are contiguous. */
const SEPARATOR = '!!';
/** Azure takes 254 segments between slashes; two of them are ours. */
const MAX_SEGMENTS = 252;
const NUMBER_DIGITS = 5;

/** All upload records of a bucket. */
export function uploadsPrefix(bucket: Bucket): string {
  return `u/${bucket.uid}/`;
}

/** Names of the upload records of one key start with this, and no others do. `trueKey` is set when the name is cut. */
export function uploadsOfKey(bucket: Bucket, key: string): { prefix: string; trueKey: string | undefined } {
  const { text, cut } = encodeOrderedWithin(key, limitsOf(bucket));
  return { prefix: uploadsPrefix(bucket) + text + SEPARATOR, trueKey: cut ? key : undefined };
}

export function uploadRef(bucket: Bucket, key: string, uploadId: string): BlobRef {
  return { container: bucket.home.system, name: uploadsOfKey(bucket, key).prefix + uploadId };
}

/** What to list to see all uploads of keys that start with `prefix`; others may come too when it is long. */
export function uploadsUnder(bucket: Bucket, prefix: string): string {
  return uploadsPrefix(bucket) + encodeOrderedPrefix(prefix, limitsOf(bucket));
}

/** @returns undefined for a name that is no upload record; no `key` when the name is cut */
export function parseUploadName(bucket: Bucket, name: string): { uploadId: string; key: string | undefined } | undefined {
  const at = name.lastIndexOf(SEPARATOR);
  const uploadId = name.slice(at + SEPARATOR.length);
  if (at < 0 || !isUploadId(uploadId)) return undefined;
  const encoded = name.slice(uploadsPrefix(bucket).length, at);
  if (isCutEncoding(encoded)) return { uploadId, key: undefined };
  const key = decodeOrdered(encoded);
  return key === undefined ? undefined : { uploadId, key };
}

function limitsOf(bucket: Bucket): OrderedLimits {
  const taken = uploadsPrefix(bucket).length + SEPARATOR.length + UPLOAD_ID_LENGTH;
  return { maxLength: bucket.home.store.capabilities.maxNameLength - taken, maxSegments: MAX_SEGMENTS };
}

/** All part records of an upload. */
export function partsPrefix(uploadId: string): string {
  return `p/${uploadId}/n/`;
}

export function partName(uploadId: string, number: number): string {
  return partsPrefix(uploadId) + String(number).padStart(NUMBER_DIGITS, '0');
}

export function partNumberOf(uploadId: string, name: string): number {
  return Number(name.slice(partsPrefix(uploadId).length));
}

/** Says that an upload was completed, and with what result. */
export function tombstoneRef(home: BucketHome, uploadId: string): BlobRef {
  return { container: home.system, name: `c/${uploadId}` };
}

/** The private blob that the parts of an upload are staged beside and assembled to: the version's own, if the upload is completed. */
export function stagingRef({ bucket, key, uploadId }: UploadTarget): BlobRef {
  return versionRef(bucket, key, versionOfUpload(uploadId));
}
