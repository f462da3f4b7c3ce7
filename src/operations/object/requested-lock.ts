import type { Bucket } from '../../manifest/records/bucket.ts';
import { parseLockHeaders } from '../../protocol/headers/object-lock-headers.ts';
import { type ObjectLock, retentionByDefault } from '../../protocol/object-lock.ts';
import type { S3Request } from '../../protocol/request.ts';
import { missingObjectLock } from './object-lock.ts';
import type { OperationContext } from '../operation.ts';
import { requireAction } from '../require-access.ts';

/**
 * The lock of the object that a request makes. It is what the request asks for, which takes permissions besides that of
 * the operation; a request without a retention gets the bucket's default. The retention counts from now; for an upload
 * in parts, that is its initiation. @throws S3Error InvalidArgument, InvalidRequest (the bucket has no object lock),
 * AccessDenied
 */
export function requestedLock(
  request: S3Request,
  { bucket, context }: { bucket: Bucket; context: OperationContext },
): { lock?: ObjectLock } {
  const now = Date.now();
  const lock = parseLockHeaders(request.headers, now);
  const { retention, legalHold } = lock;
  if (retention !== undefined) requireAction('s3:PutObjectRetention', { bucket }, context);
  if (legalHold !== undefined) requireAction('s3:PutObjectLegalHold', { bucket }, context);
  const asks = retention !== undefined || legalHold !== undefined;
  const { objectLock } = bucket.settings;
  if (asks && objectLock === undefined) throw missingObjectLock();
  if (retention === undefined && objectLock?.default !== undefined) {
    return { lock: { ...lock, retention: retentionByDefault(objectLock.default, now) } };
  }
  return asks ? { lock } : {};
}
