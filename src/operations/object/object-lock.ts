import { S3Error } from '../../errors/s3-error.ts';
import type { Bucket, ObjectView } from '../../manifest/index.ts';
import type { ResponseHeaders } from '../../protocol/headers/object-headers.ts';
import { BYPASS_HEADER, lockHeaders } from '../../protocol/headers/object-lock-headers.ts';
import { type ObjectLock, formatRetainUntil, isKept } from '../../protocol/object-lock.ts';
import { remainingDays } from '../../access/request-keys.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import { authorizedObject } from '../authorized-object.ts';
import { refusingMarkers, versionTarget } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { mayAlso, requireAlso, requireDeferred } from '../permission.ts';

/**
 * Most bytes of a body. A retention or a legal hold has two elements; this leaves room for comments and white space.
 */
export const MAX_LOCK_BODY = 64 * 1024;

/** The error for a lock in a bucket that has no object lock. */
export function missingObjectLock(): S3Error {
  return new S3Error('InvalidRequest', { message: 'Bucket is missing Object Lock Configuration' });
}

/**
 * Checks permission with the lock that the body asks for, where a policy asks for that, and that the bucket has object
 * lock: S3 looks at the body first. @throws S3Error AccessDenied, InvalidRequest
 */
export function requireLocking(lock: ObjectLock, context: OperationContext): void {
  const { bucket } = context;
  requireDeferred({ bucket, says: said(lock) }, context);
  if (bucket.settings.objectLock === undefined) throw missingObjectLock();
}

function said({ retention, legalHold }: ObjectLock): { get: (key: string) => string | undefined } {
  const until = retention && formatRetainUntil(retention);
  const values: Readonly<Record<string, string | undefined>> = {
    's3:object-lock-mode': retention?.mode,
    's3:object-lock-retain-until-date': until,
    's3:object-lock-remaining-retention-days': remainingDays(until, Date.now()),
    's3:object-lock-legal-hold': legalHold === undefined ? undefined : legalHold ? 'ON' : 'OFF',
  };
  return { get: (key) => values[key] };
}

/**
 * Reads the lock of the version that a request names. That it is missing is said before that its bucket has no object
 * lock. @throws S3Error as `authorizedObject`, InvalidRequest
 */
export async function readLock(request: S3Request, context: OperationContext): Promise<ObjectLock> {
  const { lock = {} } = await refusingMarkers(() => authorizedObject(versionTarget(request, context), context), 'GET');
  if (context.bucket.settings.objectLock === undefined) throw missingObjectLock();
  return lock;
}

/** The part of an object's lock that GetObject and HeadObject show to this caller. */
export function shownLock(object: ObjectView, context: OperationContext): ResponseHeaders {
  if (object.lock === undefined) return {};
  const { bucket } = context;
  const { retention, legalHold } = object.lock;
  return lockHeaders({
    ...(retention !== undefined && mayAlso('retention', { bucket, object }, context) && { retention }),
    ...(legalHold !== undefined && mayAlso('legalHold', { bucket, object }, context) && { legalHold }),
  });
}

/**
 * Whether the request lifts GOVERNANCE (`x-amz-bypass-governance-retention`). Buckets without object lock have none to
 * lift.
 * @param key undefined: that of the request @throws S3Error AccessDenied: the caller may not
 */
export function bypassesGovernance(headers: HeaderReader, key: string | undefined, context: OperationContext): boolean {
  const { bucket } = context;
  if (bucket.settings.objectLock === undefined || headers.get(BYPASS_HEADER)?.toLowerCase() !== 'true') return false;
  requireAlso('bypass', { bucket, ...(key !== undefined && { key }) }, context);
  return true;
}

/**
 * Refuses that header on DeleteObject where nothing can be locked. DeleteObjects accepts it anywhere
 * (docs/deviations.md). @throws S3Error InvalidArgument
 */
export function refuseIdleBypass(headers: HeaderReader, { settings }: Bucket): void {
  if (headers.get(BYPASS_HEADER) === undefined || settings.objectLock !== undefined) return;
  throw new S3Error('InvalidArgument', {
    message: `${BYPASS_HEADER} is only applicable to Object Lock enabled buckets.`,
    extra: { ArgumentName: BYPASS_HEADER },
  });
}

/**
 * Makes the guard that is shown each version before a request deletes it for good, and that refuses a locked one.
 * @throws S3Error AccessDenied, as what it returns
 */
export function deletionGuard(
  headers: HeaderReader,
  key: string | undefined,
  context: OperationContext,
): (view: ObjectView) => void {
  const bypass = bypassesGovernance(headers, key, context);
  return ({ lock = {} }) => {
    if (isKept(lock, { now: Date.now(), bypass })) throw refusedByLock();
  };
}

/** The error for a request that would delete or change a locked version. */
export function refusedByLock(): S3Error {
  return new S3Error('AccessDenied', { message: 'Access Denied because object protected by object lock.' });
}
