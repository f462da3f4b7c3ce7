import { isUtf8 } from 'node:buffer';
import { type Checksum, checksumHeader } from '../checksums/algorithms.ts';
import type { Tag } from '../tagging.ts';
import { META_PREFIX, type ParsedAttributes } from './object-attributes.ts';

/** What GetObject and HeadObject say about an object in headers. */
export interface DescribedObject extends ParsedAttributes {
  readonly etag: string;
  readonly mtime: number;
  readonly tags?: readonly Tag[];
}

export type ResponseHeaders = Record<string, string | undefined>;

export function describeObject(object: DescribedObject): ResponseHeaders {
  const { headers } = object;
  const result: ResponseHeaders = {
    'accept-ranges': 'bytes',
    etag: quoted(object.etag),
    'last-modified': httpDate(object.mtime),
    'content-type': headers.contentType ?? 'binary/octet-stream',
    'content-encoding': headers.contentEncoding,
    'content-language': headers.contentLanguage,
    'content-disposition': headers.contentDisposition,
    'cache-control': headers.cacheControl,
    expires: object.expires,
    'x-amz-storage-class': object.storageClass,
    'x-amz-website-redirect-location': object.websiteRedirect,
    'x-amz-tagging-count': object.tags && String(object.tags.length),
    ...ENCRYPTED,
  };
  for (const name in object.userMetadata) result[META_PREFIX + name] = metadataValue(object.userMetadata[name] ?? '');
  return result;
}

/** Both clouds encrypt at rest with keys of their own, always: what S3 calls SSE-S3. */
export const ENCRYPTED: Readonly<Record<string, string>> = { 'x-amz-server-side-encryption': 'AES256' };

export function checksumHeaders(checksum: Checksum | undefined): ResponseHeaders {
  if (checksum === undefined) return {};
  return { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type };
}

export function quoted(etag: string): string {
  return `"${etag}"`;
}

let lastTime = -1;
let lastDate = '';

/** IMF-fixdate; the last one is kept because listings and hot objects ask for the same again. */
export function httpDate(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTime = milliseconds;
    lastDate = new Date(milliseconds).toUTCString();
  }
  return lastDate;
}

/**
 * Metadata values are kept as the bytes that came. Printable ASCII goes out as it is; other UTF-8 in
 * RFC 2047 form, as S3 does; bytes that are no UTF-8 unchanged.
 */
function metadataValue(value: string): string {
  // eslint-disable-next-line no-control-regex -- the class is exactly "not ASCII"
  if (!/[^\x00-\x7f]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? `=?UTF-8?B?${bytes.toString('base64')}?=` : value;
}
