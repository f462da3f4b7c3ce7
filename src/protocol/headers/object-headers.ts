import { isUtf8 } from 'node:buffer';
import { type Checksum, checksumHeader } from '../checksums/algorithms.ts';
import type { Tag } from '../tagging.ts';
import { encodedWord, isPrintableAscii } from './encoded-words.ts';
import { isFieldName, isFieldValue } from './field-text.ts';
import { describeAttributes, META_PREFIX, type ParsedAttributes } from './object-attributes.ts';

/** What GetObject and HeadObject say about an object in headers. */
export interface DescribedObject extends ParsedAttributes {
  readonly etag: string;
  readonly mtime: number;
  readonly tags?: readonly Tag[];
}

export type ResponseHeaders = Record<string, string | undefined>;

/**
 * Tools of the clouds store what no header line can carry: it is left out. `x-amz-missing-meta` says how many values
 * that were.
 */
export function describeObject(object: DescribedObject): ResponseHeaders {
  const said: ResponseHeaders = describeAttributes(object);
  said['etag'] = quoted(object.etag);
  let missing = leaveOutUnsayable(said);
  for (const name in object.userMetadata) {
    const value = metadataValue(object.userMetadata[name] ?? '');
    const header = META_PREFIX + name;
    if (value !== undefined && isFieldName(header)) said[header] = value;
    else missing += 1;
  }
  said['accept-ranges'] = 'bytes';
  said['last-modified'] = httpDate(object.mtime);
  if (missing > 0) said['x-amz-missing-meta'] = String(missing);
  if (object.tags !== undefined) said['x-amz-tagging-count'] = String(object.tags.length);
  return addHeaders(said, ENCRYPTED);
}

/**
 * Adds headers to those of an answer that is being made; later ones win. Copying them into a new object for each
 * further few is what the answer to a small GET would spend most of its time with.
 */
export function addHeaders(headers: ResponseHeaders, ...more: readonly Readonly<ResponseHeaders>[]): ResponseHeaders {
  for (const added of more) for (const name in added) headers[name] = added[name];
  return headers;
}

/** The part of it that RFC 9110 15.4.5 wants in a 304: what a cache needs to go on with what it has. */
export function describeUnmodified({ etag, mtime, headers, expires }: DescribedObject): ResponseHeaders {
  const said: ResponseHeaders = { etag: quoted(etag), 'cache-control': headers.cacheControl, expires };
  leaveOutUnsayable(said);
  return { 'last-modified': httpDate(mtime), ...said };
}

/** @returns how many had to go */
function leaveOutUnsayable(headers: ResponseHeaders): number {
  let missing = 0;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || isFieldValue(value)) continue;
    headers[name] = sayable(value);
    if (headers[name] === undefined) missing += 1;
  }
  return missing;
}

/** Text beyond latin-1 comes from JSON of a cloud and goes out as UTF-8; there is no way to say a control character. */
function sayable(value: string): string | undefined {
  const bytes = Buffer.from(value).toString('latin1');
  return isFieldValue(bytes) ? bytes : undefined;
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

/** IMF-fixdate. */
export function httpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/**
 * Metadata values are kept as the bytes that came (text beyond latin-1: as a cloud's JSON had it). Printable ASCII goes
 * out as it is; other UTF-8 in RFC 2047 form, as S3 does; bytes that are no UTF-8 unchanged.
 * @returns undefined for what is no UTF-8 and has control characters
 */
function metadataValue(value: string): string | undefined {
  if (isPrintableAscii(value)) return value;
  const bytes = Buffer.from(value, BEYOND_LATIN1.test(value) ? 'utf8' : 'latin1');
  if (isUtf8(bytes)) return encodedWord(bytes);
  return isFieldValue(value) ? value : undefined;
}
