import { S3Error, invalidArgument } from '../errors/s3-error.ts';
import { checkKeyLength } from './address.ts';
import { isBucketName } from './bucket-name.ts';
import type { ReadConditions } from './conditions.ts';
import type { HeaderReader } from './request.ts';

const HEADER = 'x-amz-copy-source';
const VERSION_SUFFIX = /\?versionId=([^?]*)$/;
const ACCESS_POINT = /^arn:[^:]+:s3[^:]*:[^:]*:[^:]*:accesspoint\//;

export interface CopySourceHeader {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

/**
 * `x-amz-copy-source`: optional leading slash, bucket, slash, key, optional `?versionId=` (the last
 * raw one; a literal question mark in a key arrives encoded). Decoded once, `+` as space; never
 * normalised, never made a URL. @throws S3Error InvalidArgument, KeyTooLongError, NotImplemented (access points)
 */
export function parseCopySource(header: string): CopySourceHeader {
  const version = VERSION_SUFFIX.exec(header);
  const path = decode(version === null ? header : header.slice(0, version.index), header).replace(/^\//, '');
  if (ACCESS_POINT.test(path)) {
    throw new S3Error('NotImplemented', {
      extra: { Header: HEADER, additionalMessage: 'Access points are not implemented' },
    });
  }
  const slash = path.indexOf('/');
  const bucket = slash < 0 ? path : path.slice(0, slash);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  if (key === '') throw invalidArgument(HEADER, header, 'Invalid copy source object key');
  if (!isBucketName(bucket)) throw invalidArgument(HEADER, header, 'Invalid copy source bucket name');
  checkKeyLength(key);
  const versionId = version?.[1];
  return { bucket, key, ...(versionId !== undefined && { versionId: decode(versionId, header) }) };
}

function decode(text: string, header: string): string {
  try {
    // Node hands headers over as latin-1: raw UTF-8 in the header becomes itself again here.
    const escaped = text.replace(/\+/g, '%20').replace(/[\x80-\xff]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
    return decodeURIComponent(escaped);
  } catch (error) {
    throw new S3Error('InvalidArgument', {
      message: 'Invalid copy source encoding',
      extra: { ArgumentName: HEADER, ArgumentValue: header },
      cause: error,
    });
  }
}

/** The four `x-amz-copy-source-if-*` headers. */
export function copySourceConditions(headers: HeaderReader): ReadConditions {
  return {
    ifMatch: headers.get(`${HEADER}-if-match`),
    ifNoneMatch: headers.get(`${HEADER}-if-none-match`),
    ifModifiedSince: headers.get(`${HEADER}-if-modified-since`),
    ifUnmodifiedSince: headers.get(`${HEADER}-if-unmodified-since`),
  };
}
