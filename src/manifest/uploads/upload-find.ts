import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { ABSENT, type BlobProperties, type Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/bytes.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { UploadsContext } from './upload-context.ts';
import { belongsTo, initiatedAt, newUploadId } from '../records/upload-id.ts';
import { type UploadTarget, uploadRef, uploadsOfKey } from '../records/upload-names.ts';
import {
  type UploadContent,
  type UploadRecord,
  type UploadSummary,
  decodeContent,
  decodeSummary,
  encodeUpload,
} from '../records/upload-record.ts';

export type { UploadTarget } from '../records/upload-names.ts';

/** An upload that was open when it was looked up. */
export interface Upload extends UploadTarget, UploadSummary {
  readonly key: string;
  /** Milliseconds, whole seconds. */
  readonly initiatedAt: number;
  /** Revision of its record, which does not change as long as the upload is open. */
  readonly revision: Revision;
  /** Bytes of its record. */
  readonly recordSize: number;
}

/** Headers of every upload record, and so of the part records that are copies of it. */
export const RECORD_HEADERS = { contentType: 'application/json' } as const;

/**
 * Writes the upload's record. The upload id decides the place of the version that the upload becomes. In a bucket with
 * versioning the head is read first, so that this place lies above all that was acknowledged before, whatever the
 * clocks of other replicas say.
 */
export async function createUpload(
  { objects, clock }: Pick<UploadsContext, 'objects' | 'clock'>,
  target: KeyRef & { readonly record: Omit<UploadRecord, 'key' | 'placed'> },
  call: Call,
): Promise<Upload> {
  const { bucket, key, record } = target;
  const placed = bucket.versioning !== 'never';
  const uploadId = newUploadId({ bucket, key }, placed ? await objects.nextSeq({ bucket, key }, call) : clock.next());
  const { trueKey } = uploadsOfKey({ bucket, key });
  const { body, metadata } = encodeUpload({
    ...record,
    ...(placed && { placed }),
    ...(trueKey !== undefined && { key: trueKey }),
  });
  const request = { headers: RECORD_HEADERS, metadata, condition: ABSENT };
  const { revision } = await bucket.home.store.write(uploadRef({ bucket, key, uploadId }), body, request, call);
  return toUpload({ bucket, key, uploadId }, { metadata, revision, size: body.byteLength });
}

/** One call. @returns undefined when there is no such upload (any more) */
export async function lookUpUpload(target: UploadTarget, call: Call): Promise<Upload | undefined> {
  if (!belongsTo(target.uploadId, target)) return undefined;
  try {
    return toUpload(target, await target.bucket.home.store.head(uploadRef(target), call));
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** @throws S3Error NoSuchUpload */
export async function findUpload(target: UploadTarget, call: Call): Promise<Upload> {
  const upload = await lookUpUpload(target, call);
  if (upload === undefined) throw noSuchUpload(target.uploadId);
  return upload;
}

/** The upload, and what its object will have besides its bytes. One call. */
export async function readUpload(target: UploadTarget, call: Call): Promise<(Upload & UploadContent) | undefined> {
  if (!belongsTo(target.uploadId, target)) return undefined;
  try {
    const { properties, body } = await target.bucket.home.store.read(uploadRef(target), {}, call);
    const content = decodeContent(await readAll(body));
    return { ...toUpload(target, properties), ...content };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

type RecordBlob = Pick<BlobProperties, 'metadata' | 'revision' | 'size'>;

function toUpload({ bucket, key, uploadId }: UploadTarget, { metadata, revision, size }: RecordBlob): Upload {
  const initiated = initiatedAt(uploadId);
  return { ...decodeSummary(metadata), bucket, key, uploadId, initiatedAt: initiated, revision, recordSize: size };
}

/**
 * Removes the record of an upload that is over: it is listed no more. Idempotent.
 * @returns false when it was gone, or was removed by a send whose answer was lost
 */
export async function removeUploadRecord(target: UploadTarget, call: Call): Promise<boolean> {
  try {
    await target.bucket.home.store.remove(uploadRef(target), undefined, call);
    return true;
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
    return false;
  }
}

/** The error for parts that do not exist, or do not exist any more. */
export function invalidPart({ uploadId }: UploadTarget): S3Error {
  return new S3Error('InvalidPart', { extra: { UploadId: uploadId } });
}

export function noSuchUpload(uploadId: string): S3Error {
  return new S3Error('NoSuchUpload', { extra: { UploadId: uploadId } });
}
