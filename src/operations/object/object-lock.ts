import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { Bucket } from '../../manifest/records/bucket.ts';
import type { ObjectView } from '../../manifest/records/object-view.ts';
import type { ResponseHeaders } from '../../protocol/headers/object-headers.ts';
import { BYPASS, lockHeaders } from '../../protocol/headers/object-lock-headers.ts';
import { type ObjectLock, formatRetainUntil, isKept } from '../../protocol/object-lock.ts';
import { remainingDays } from '../../access/request-keys.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import { namedBucket } from '../authorized-bucket.ts';
import { authorizedObject } from '../authorized-object.ts';
import { refusingMarkers, versionTarget } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { OBJECT_LOCK, dependsOn, mayAccess, requireAccess, requireAction } from '../require-access.ts';

/** A retention or a legal hold is two elements; this leaves room for comments and white space. */
export const MAX_LOCK_BODY = 64 * 1024;

/** Where a bucket has no object lock, nothing can be locked. */
export function missingObjectLock(): S3Error {
  return new S3Error('InvalidRequest', { message: 'Bucket is missing Object Lock Configuration' });
}

/**
 * The bucket of a request that changes a lock. Where a policy asks what the lock will be, `requireLocking` decides when
 * it is known.
 * @throws S3Error NoSuchBucket, AccessDenied, InvalidRequest
 */
export async function lockingBucket(request: S3Request, context: OperationContext): Promise<Bucket> {
  const bucket = await namedBucket(request, context);
  if (!dependsOn(OBJECT_LOCK, { bucket }, context)) requireAccess({ bucket }, context);
  if (bucket.settings.objectLock === undefined) throw missingObjectLock();
  return bucket;
}

/** Decides with what the body says of the lock. @throws S3Error AccessDenied */
export function requireLocking(bucket: Bucket, { retention, legalHold }: ObjectLock, context: OperationContext): void {
  if (!dependsOn(OBJECT_LOCK, { bucket }, context)) return;
  const until = retention && formatRetainUntil(retention);
  const said: Readonly<Record<string, string | undefined>> = {
    's3:object-lock-mode': retention?.mode,
    's3:object-lock-retain-until-date': until,
    's3:object-lock-remaining-retention-days': remainingDays(until, Date.now()),
    's3:object-lock-legal-hold': legalHold === undefined ? undefined : legalHold ? 'ON' : 'OFF',
  };
  requireAccess({ bucket, says: { get: (key) => said[key] } }, context);
}

/** What keeps the version that a request names. @throws S3Error as `authorizedObject`, InvalidRequest */
export async function readLock(request: S3Request, context: OperationContext): Promise<ObjectLock> {
  const bucket = await namedBucket(request, context);
  if (bucket.settings.objectLock === undefined) {
    requireAccess({ bucket }, context);
    throw missingObjectLock();
  }
  const { lock = {} } = await refusingMarkers(
    () => authorizedObject(versionTarget(request, bucket, context), context),
    'GET',
  );
  return lock;
}

/** What of an object's lock GetObject and HeadObject tell this caller. */
export function shownLock(object: ObjectView, bucket: Bucket, context: OperationContext): ResponseHeaders {
  if (object.lock === undefined) return {};
  const { retention, legalHold } = object.lock;
  return lockHeaders({
    ...(retention !== undefined && mayAccess('s3:GetObjectRetention', { bucket, object }, context) && { retention }),
    ...(legalHold !== undefined && mayAccess('s3:GetObjectLegalHold', { bucket, object }, context) && { legalHold }),
  });
}

/** A place, and who asks. */
interface Where {
  readonly bucket: Bucket;
  /** Absent: the key of the request. */
  readonly key?: string;
  readonly context: OperationContext;
}

/**
 * Whether the request gets round governance, which is only where there may be some.
 * @throws S3Error AccessDenied: the caller may not
 */
export function bypassesGovernance(headers: HeaderReader, { bucket, key, context }: Where): boolean {
  if (bucket.settings.objectLock === undefined || headers.get(BYPASS)?.toLowerCase() !== 'true') return false;
  requireAction('s3:BypassGovernanceRetention', { bucket, ...(key !== undefined && { key }) }, context);
  return true;
}

/**
 * DeleteObject takes the header only where something may be locked; DeleteObjects anywhere.
 * @throws S3Error InvalidArgument
 */
export function refuseIdleBypass(headers: HeaderReader, { settings }: Bucket): void {
  const header = headers.get(BYPASS);
  if (header === undefined || settings.objectLock !== undefined) return;
  throw invalidArgument(BYPASS, header, `${BYPASS} is only applicable to Object Lock enabled buckets.`);
}

/** Looks at each version that a request would delete for good. @throws S3Error AccessDenied, as what it returns */
export function deletionGuard(headers: HeaderReader, where: Where): (view: ObjectView) => void {
  const bypass = bypassesGovernance(headers, where);
  return ({ lock = {} }) => {
    if (isKept(lock, { now: Date.now(), bypass })) throw refusedByLock();
  };
}

/** A lock holds a version, and the request would get round it. */
export function refusedByLock(): S3Error {
  return new S3Error('AccessDenied', { message: 'Access Denied because object protected by object lock.' });
}
