import { S3Error, invalidArgument, isS3Error } from '../errors/s3-error.ts';
import type { Bucket } from '../manifest/records/bucket.ts';
import { NULL_VERSION } from '../manifest/heads/head.ts';
import { isVersionToken } from '../manifest/records/version-token.ts';
import type { S3Request } from '../protocol/request.ts';
import type { ResponseHeaders } from '../protocol/headers/object-headers.ts';
import { objectKey } from './authorized-bucket.ts';
import type { OperationContext } from './operation.ts';
import { mayAccess, requireAction, versioned } from './require-access.ts';

const VERSION_ID = 'x-amz-version-id';
const DELETE_MARKER = 'x-amz-delete-marker';

export interface VersionTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly versionId: string | undefined;
}

/** The key of a request and, if it names one, the version. @throws S3Error InvalidArgument, AccessDenied */
export function versionTarget(request: S3Request, bucket: Bucket, context: OperationContext): VersionTarget {
  return { bucket, key: objectKey(request), versionId: knownVersion(request.query.get('versionId'), bucket, context) };
}

/**
 * `requestedVersion` for callers who may not do anything yet: whether an id could be one tells whether the bucket ever
 * had versioning. Like a missing object, a wrong id is told only to those who could list the bucket.
 * @throws S3Error InvalidArgument, AccessDenied
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

/**
 * A version id as a client gave it. In a bucket that never had versioning only `null` names something.
 * @throws S3Error InvalidArgument
 */
export function requestedVersion(versionId: string | undefined, { versioning }: Bucket): string | undefined {
  if (versionId === undefined || versionId === NULL_VERSION) return versionId;
  if (versioning !== 'never' && isVersionToken(versionId)) return versionId;
  throw invalidArgument(
    'versionId',
    versionId,
    versionId === '' ? 'Version id cannot be the empty string' : 'Invalid version id specified',
  );
}

/** Which version an answer is about; said only in buckets that ever had versioning. */
export function versionHeaders({ versioning }: Bucket, versionId: string | undefined): ResponseHeaders {
  return versioning === 'never' || versionId === undefined ? {} : { [VERSION_ID]: versionId };
}

/**
 * Which version was made: not said of the null version. A completion that is repeated says it even if the bucket makes
 * no versions any more.
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

/** What goes with a 405 of a marker that was named by its id. That it is the current version is not told by headers. */
const NAMED_MARKER = [DELETE_MARKER, VERSION_ID, 'last-modified'];

/** For what cannot be done to a delete marker, even if it is met as the current version: 405 instead of 404. */
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

/**
 * Whoever may write to a bucket may put a marker on top; what is gone for good, only its owner may have gone, and whom
 * policies let.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#acl-access-policy-permission-mapping
 * @throws S3Error AccessDenied
 */
export function authorizeDeletion({ bucket, key, versionId }: VersionTarget, context: OperationContext): void {
  requireAction(versioned('s3:DeleteObject', versionId), { bucket, key, versionId }, context);
}
