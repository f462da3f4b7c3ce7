import { S3Error } from '../../errors/s3-error.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import type { ObjectRecord } from '../records/record.ts';
import type { VersionToken } from '../records/version-token.ts';
import { NULL_VERSION } from '../heads/head.ts';

/** Header by which answers tell that a delete marker was met. */
export const DELETE_MARKER = 'x-amz-delete-marker';

interface Marker {
  readonly record?: ObjectRecord | undefined;
  /** Of the marker's own blob; a head has it in its record. */
  readonly token?: VersionToken;
}

/** The current version is a delete marker, and no version was named. */
export function markerOnTop(key: string, marker: Marker): S3Error {
  return new S3Error('NoSuchKey', { extra: { Key: key }, headers: { [DELETE_MARKER]: 'true', 'x-amz-version-id': idOf(marker) } });
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

function idOf({ record, token }: Marker): string {
  return record?.isNull === true ? NULL_VERSION : (token ?? record?.version ?? NULL_VERSION);
}
