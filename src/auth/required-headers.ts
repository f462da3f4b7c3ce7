import { S3Error } from '../errors/s3-error.ts';
import type { QueryPair } from './canonical-query.ts';
import type { HeaderLines } from './header-lines.ts';
import { UNSIGNED_PAYLOAD } from './payload-mode.ts';
import { canonicalEncoding } from './uri-encoding.ts';

/**
 * Headers that decide who sent a request or what its signature covers. They must not come twice, since two parts of a
 * system could then each believe another one.
 */
const SINGLE_HEADERS = [
  'authorization',
  'date',
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-security-token',
] as const;

/** @throws S3Error InvalidArgument when one of the headers that carry authentication comes twice */
export function refuseRepeatedHeaders(headers: HeaderLines): void {
  for (const name of SINGLE_HEADERS) {
    if (headers.isRepeated(name)) {
      throw new S3Error('InvalidArgument', {
        message: `The ${name} header may be sent only once.`,
        extra: { ArgumentName: name },
      });
    }
  }
}

/**
 * `host` and every `x-amz-*` header must be signed. A header that a presigned URL repeats with the
 * same value in its query is: the query is covered as a whole. Beside a presigned URL S3 ignores an unsigned
 * `x-amz-content-sha256: UNSIGNED-PAYLOAD`, which clients add to every request.
 * @param presigned the query of a presigned URL
 * @throws S3Error AccessDenied naming the headers that are not signed
 */
export function requireSignedHeaders(
  headers: HeaderLines,
  signedHeaders: readonly string[],
  presigned?: readonly QueryPair[],
): void {
  const must: string[] = [];
  for (const name of headers.names) {
    if ((name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name)) must.push(name);
  }
  const hostIsSigned = signedHeaders.includes('host');
  if (must.length === 0 && hostIsSigned) {
    return;
  }
  const hoisted = presigned && Map.groupBy(presigned, (pair) => pair.name.toLowerCase());
  const unsigned = [...new Set(must)].filter(
    (name) =>
      hoisted === undefined || !(isIgnored(name, headers.get(name)) || inQuery(hoisted.get(name), name, headers)),
  );
  if (!hostIsSigned && !unsigned.includes('host')) {
    unsigned.unshift('host');
  }
  if (unsigned.length > 0) {
    throw new S3Error('AccessDenied', {
      message: 'There were headers present in the request which were not signed',
      extra: { HeadersNotSigned: unsigned.join(', ') },
    });
  }
}

/** Of an unsigned header beside a presigned URL: whether S3 ignores it, since it says what holds without it. */
export function isIgnored(name: string, value: string | undefined): boolean {
  return name === 'x-amz-content-sha256' && value === UNSIGNED_PAYLOAD;
}

function inQuery(pairs: readonly QueryPair[] | undefined, name: string, headers: HeaderLines): boolean {
  if (pairs === undefined || headers.isRepeated(name)) {
    return false;
  }
  const escaped = (headers.get(name) ?? '').replaceAll('%', '%25').replaceAll('+', '%2B');
  const value = canonicalEncoding(escaped, 'query');
  return pairs.some((pair) => pair.value === value);
}
