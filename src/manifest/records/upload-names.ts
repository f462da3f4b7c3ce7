import type { BlobRef } from '../../store/blob-store.ts';
import type { Bucket, BucketHome } from './bucket.ts';
import { type KeyedNames, namesOfBucket, namesOfKey, namesUnder, parseKeyedName } from './keyed-names.ts';
import { versionRef } from './version-names.ts';
import { UPLOAD_ID_LENGTH, isUploadId, versionOfUpload } from './upload-id.ts';
import type { KeyRef } from './key-ref.ts';

/** How clients name an upload. */
export interface UploadTarget extends KeyRef {
  readonly uploadId: string;
}

/** Upload records. */
const UPLOADS: KeyedNames = { root: 'u', idLength: UPLOAD_ID_LENGTH };
const NUMBER_DIGITS = 5;

/** All upload records of a bucket. */
export function uploadsPrefix(bucket: Bucket): string {
  return namesOfBucket(UPLOADS, bucket);
}

/** Names of the upload records of one key start with this, and no others do. `trueKey` is set when the name is cut. */
export function uploadsOfKey(ref: KeyRef): { prefix: string; trueKey: string | undefined } {
  return namesOfKey(UPLOADS, ref);
}

export function uploadRef(target: UploadTarget): BlobRef {
  return { container: target.bucket.home.system, name: namesOfKey(UPLOADS, target).prefix + target.uploadId };
}

/** What to list to see all uploads of keys that start with `prefix`; others may come too when it is long. */
export function uploadsUnder(bucket: Bucket, prefix: string): string {
  return namesUnder(UPLOADS, bucket, prefix);
}

/** @returns undefined for a name that is no upload record; no `key` when the name is cut */
export function parseUploadName(
  bucket: Bucket,
  name: string,
): { uploadId: string; key: string | undefined } | undefined {
  const parsed = parseKeyedName(UPLOADS, bucket, name);
  return parsed !== undefined && isUploadId(parsed.id) ? { uploadId: parsed.id, key: parsed.key } : undefined;
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

/**
 * The private blob that the parts of an upload are staged beside and assembled to: the version's own, if the upload is
 * completed.
 */
export function stagingRef(target: UploadTarget): BlobRef {
  return versionRef(target, versionOfUpload(target.uploadId));
}
