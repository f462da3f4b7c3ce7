import { S3Error } from '../../errors/s3-error.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import { type HeadRecord, type OwnRecord, namedVersion, saysNull } from '../records/record.ts';
import type { VersionToken } from '../records/version-token.ts';
import { NULL_VERSION } from '../heads/head.ts';

/** Header by which answers tell that a delete marker was met. */
const DELETE_MARKER = 'x-amz-delete-marker';

/** A head that names a marker, or the marker's own blob, which has its token in its name. */
type Marker =
  | { readonly record: HeadRecord | undefined; readonly token?: never }
  | { readonly record: OwnRecord | undefined; readonly token: VersionToken };

/** The current version is a delete marker, and no version was named. */
export function markerOnTop(key: string, marker: Marker): S3Error {
  return new S3Error('NoSuchKey', {
    extra: { Key: key },
    headers: { [DELETE_MARKER]: 'true', 'x-amz-version-id': idOf(marker) },
  });
}

/** A delete marker was named by its id. */
export function markerNamed(marker: Marker): S3Error {
  const modified = new Date(mtimeOfSeq(marker.record?.seq ?? 0)).toUTCString();
  return new S3Error('MethodNotAllowed', {
    extra: { Method: 'GET', ResourceType: 'DeleteMarker' },
    headers: { [DELETE_MARKER]: 'true', 'x-amz-version-id': idOf(marker), 'last-modified': modified, allow: 'DELETE' },
  });
}

export function noSuchVersion(key: string, versionId: string): S3Error {
  return new S3Error('NoSuchVersion', { extra: { Key: key, VersionId: versionId } });
}

function idOf(marker: Marker): string {
  if (saysNull(marker.record)) return NULL_VERSION;
  return marker.token ?? namedVersion(marker.record) ?? NULL_VERSION;
}
