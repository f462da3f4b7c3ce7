import { S3Error, invalidArgument, isS3Error } from '../errors/s3-error.ts';
import { type Bucket, type KeyRef, NULL_VERSION } from '../manifest/index.ts';
import type { S3Request } from '../protocol/request.ts';
import type { ResponseHeaders } from '../protocol/headers/object-headers.ts';
import { objectKey } from './named-bucket.ts';
import type { OperationContext } from './operation.ts';
import { mayAccess } from './permission.ts';

const VERSION_ID = 'x-amz-version-id';
const DELETE_MARKER = 'x-amz-delete-marker';

export interface VersionTarget extends KeyRef {
  readonly versionId: string | undefined;
}

/** The key of a request and, if it names one, the version. @throws S3Error InvalidArgument, AccessDenied */
export function versionTarget(request: S3Request, context: OperationContext): VersionTarget {
  const { bucket } = context;
  return { bucket, key: objectKey(request), versionId: knownVersion(request.query.get('versionId'), bucket, context) };
}

/**
 * `requestedVersion` for callers whose permission is not known yet. Whether an id is valid tells whether the bucket
 * ever had versioning. So, like a missing object, a wrong id is told only to those who could list the bucket. @throws
 * S3Error InvalidArgument, AccessDenied
 */
export function knownVersion(
  versionId: string | undefined,
  bucket: Bucket,
  context: OperationContext,
): string | undefined {
  try {
    return requestedVersion(versionId, bucket);
  } catch (error) {
    if (mayAccess('s3:ListBucket', { bucket }, context)) throw error;
    throw new S3Error('AccessDenied', { cause: error });
  }
}

/** The form of S3's version ids, which programs hold that used S3 before. Ours have it, too. */
const FORM = /^[A-Za-z0-9._]{32}$/;

/** Whether a version could have this id. In a bucket that never had versioning only `null` names something. */
export function canNameVersion(versionId: string, { versioning }: Bucket): boolean {
  return versionId === NULL_VERSION || (versioning !== 'never' && FORM.test(versionId));
}

/** A version id as a client gave it. @throws S3Error InvalidArgument: no version can have it */
function requestedVersion(versionId: string | undefined, bucket: Bucket): string | undefined {
  if (versionId === undefined || canNameVersion(versionId, bucket)) return versionId;
  throw invalidArgument(
    'versionId',
    versionId,
    versionId === '' ? 'Version id cannot be the empty string' : 'Invalid version id specified',
  );
}

/** The header that says which version an answer is about. Only buckets that ever had versioning have it. */
export function versionHeaders({ versioning }: Bucket, versionId: string | undefined): ResponseHeaders {
  return versioning === 'never' || versionId === undefined ? {} : { [VERSION_ID]: versionId };
}

/**
 * The header that says which version was made; none for the null version. A repeated completion has it even if the
 * bucket makes no versions any more.
 */
export function createdVersionHeaders(versionId: string): Record<string, string> {
  return versionId !== NULL_VERSION ? { [VERSION_ID]: versionId } : {};
}

/** Headers of a deletion. */
export function deletionHeaders(removed: {
  readonly deleteMarker: boolean;
  readonly versionId?: string;
}): ResponseHeaders {
  return { [DELETE_MARKER]: removed.deleteMarker ? 'true' : undefined, [VERSION_ID]: removed.versionId };
}

/**
 * The headers of the 405 for a delete marker that was named by its id. They do not tell whether it is the current
 * version.
 */
const NAMED_MARKER = [DELETE_MARKER, VERSION_ID, 'last-modified'];

/**
 * Runs work that cannot be done to a delete marker. If the current version is a marker, the answer is 405 instead of
 * 404.
 */
export async function refusingMarkers<T>(work: () => Promise<T>, method: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isNamed = isS3Error(error, 'MethodNotAllowed');
    if (!isNamed && !isMarkerOnTop(error)) throw error;
    const said = Object.entries(error.headers).filter(([name]) => isNamed && NAMED_MARKER.includes(name));
    const headers = { ...Object.fromEntries(said), allow: 'DELETE' };
    throw new S3Error('MethodNotAllowed', {
      extra: { Method: method, ResourceType: 'DeleteMarker' },
      headers,
      cause: error,
    });
  }
}

function isMarkerOnTop(error: unknown): error is S3Error {
  return isS3Error(error, 'NoSuchKey') && error.headers[DELETE_MARKER] === 'true';
}
