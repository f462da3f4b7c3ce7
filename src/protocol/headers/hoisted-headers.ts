import { invalidArgument } from '../../errors/s3-error.ts';
import type { HeaderReader } from '../request.ts';
import { asFieldValue, isFieldName } from './field-text.ts';
import { effectiveQuery, type Query } from './query-reader.ts';

/** Parameters of the signature itself, and checksums: SDKs hoist that of an empty body, whatever is sent later. */
const NOT_HEADERS =
  /^x-amz-(?:algorithm|credential|date|expires|signedheaders|signature|security-token|content-sha256|user-agent|checksum-.*|sdk-checksum-algorithm)$/;

/**
 * Some presigners hoist all headers that they are given. S3 was recorded to heed `If-None-Match` of a PUT there; a
 * condition that is ignored overwrites or deletes what it was to protect, so all of them count.
 */
const CONDITIONS: ReadonlySet<string> = new Set([
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
]);

/**
 * Presigned URLs carry `x-amz-*` headers and conditions in their query ("hoisted"), covered by the signature; S3 takes
 * them as if they had been sent. A header that was sent wins. Of version 2 those count that it covers. What no header
 * line could have carried is refused: it would be stored, and could never be answered again.
 * @throws S3Error InvalidArgument
 */
export function withHoistedHeaders(headers: HeaderReader, query: Query): HeaderReader {
  if (query.method === undefined) return headers; // nobody vouches for them
  const effective = effectiveQuery(query);
  const hoisted = new Map<string, string>();
  for (const name of effective.names()) {
    const header = name.toLowerCase();
    if (isHoisted(header) && headers.get(header) === undefined) {
      hoisted.set(header, fieldValue(name, effective.get(name) ?? ''));
    }
  }
  if (hoisted.size === 0) return headers;
  return {
    get: (name) => headers.get(name) ?? hoisted.get(name),
    *startingWith(prefix) {
      yield* headers.startingWith(prefix);
      for (const entry of hoisted) if (entry[0].startsWith(prefix)) yield entry;
    },
  };
}

function isHoisted(header: string): boolean {
  return CONDITIONS.has(header) || (header.startsWith('x-amz-') && !NOT_HEADERS.test(header));
}

function fieldValue(name: string, value: string): string {
  if (!isFieldName(name)) {
    throw invalidArgument(name, value, 'The name of the parameter cannot be the name of a header.');
  }
  const field = asFieldValue(value);
  if (field === undefined) {
    throw invalidArgument(name, value, 'The value of the parameter cannot be the value of a header.');
  }
  return field;
}
