import { S3Error, invalidArgument, isS3Error } from '../../errors/s3-error.ts';
import type { Bucket, UploadSummary, UploadTarget } from '../../manifest/index.ts';
import type { RequestBody, S3Request } from '../../protocol/request.ts';
import type { XmlValue } from '../../protocol/xml/document.ts';
import { objectKey } from '../named-bucket.ts';
import type { OwnerLookup } from '../bucket/list-values.ts';

const MAX_PART_NUMBER = 10_000;
/** 5 GiB. */
export const MAX_PART_SIZE = 5_368_709_120;

/** The upload that the request names. It may not exist. */
export function uploadTarget(request: S3Request, bucket: Bucket): UploadTarget {
  return { bucket, key: objectKey(request), uploadId: request.query.get('uploadId') ?? '' };
}

/** @throws S3Error InvalidArgument */
export function requestedPartNumber(request: S3Request): number {
  const value = request.query.get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (isPartNumber(number)) return number;
  throw invalidArgument('partNumber', value, 'Part number must be an integer between 1 and 10000, inclusive');
}

export function isPartNumber(number: number): boolean {
  return number >= 1 && number <= MAX_PART_NUMBER;
}

/** Parts have no versions. @throws S3Error InvalidArgument */
export function refuseVersionId(request: S3Request): void {
  const value = request.query.get('versionId');
  if (value !== undefined) throw invalidArgument('versionId', value, 'This operation does not accept a version-id.');
}

/** Refuses a body of a request that has none. @throws S3Error InvalidRequest */
export async function refuseBody({ body, headers }: S3Request): Promise<void> {
  // The length of a chunked body is known only when it is read.
  const isEmpty =
    body.declaredSize === undefined && headers.get('transfer-encoding') !== undefined
      ? await endsAtOnce(body)
      : (body.declaredSize ?? 0) === 0;
  if (!isEmpty) throw new S3Error('InvalidRequest', { message: 'This request does not support a body.' });
}

async function endsAtOnce(body: RequestBody): Promise<boolean> {
  try {
    await body.readAll(0);
    return true;
  } catch (error) {
    if (isS3Error(error, 'MaxMessageLengthExceeded')) return false;
    throw error;
  }
}

/** `Initiator`, `Owner` and `StorageClass` of an upload; strangers are told of nobody. */
export function uploadValues(upload: UploadSummary, ownerOf: OwnerLookup | undefined): Record<string, XmlValue> {
  const { initiator, ownerId } = upload;
  if (ownerOf === undefined) return { StorageClass: upload.storageClass ?? 'STANDARD' };
  return {
    Initiator: initiator === undefined ? ownerOf(ownerId) : { ID: initiator.id, DisplayName: initiator.displayName },
    Owner: ownerOf(ownerId),
    StorageClass: upload.storageClass ?? 'STANDARD',
  };
}
