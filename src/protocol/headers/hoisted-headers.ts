import { isIgnored } from '../../auth/required-headers.ts';
import { invalidArgument } from '../../errors/s3-error.ts';
import type { HeaderReader } from '../request.ts';
import { asFieldValue, isFieldName } from './field-text.ts';
import { effectiveQuery, type Query } from './query-reader.ts';

const PAYLOAD = 'x-amz-content-sha256';

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
 * line could have carried is refused: it would be stored, and could never be answered again. What S3 ignores beside
 * such a URL, nobody sees.
 * @throws S3Error InvalidArgument
 */
export function withHoistedHeaders(headers: HeaderReader, query: Query): HeaderReader {
  if (query.method === undefined) return headers; // nobody vouches for them
  const effective = effectiveQuery(query);
  const sent = withoutIgnored(headers, query);
  const hoisted = new Map<string, string>();
  for (const name of effective.names()) {
    const header = name.toLowerCase();
    if (isHoisted(header) && sent.get(header) === undefined) {
      hoisted.set(header, fieldValue(name, effective.get(name) ?? ''));
    }
  }
  if (hoisted.size === 0) return sent;
  return {
    get: (name) => sent.get(name) ?? hoisted.get(name),
    *startingWith(prefix) {
      yield* sent.startingWith(prefix);
      for (const entry of hoisted) if (entry[0].startsWith(prefix)) yield entry;
    },
  };
}

/** Version 2 signs all headers of this kind; version 4 lists what it signs. */
function withoutIgnored(headers: HeaderReader, query: Query): HeaderReader {
  const signed = query.method === 'v4' ? query.get('X-Amz-SignedHeaders')?.split(';') : undefined;
  if (signed?.includes(PAYLOAD) !== false || !isIgnored(PAYLOAD, headers.get(PAYLOAD))) return headers;
  return {
    get: (name) => (name === PAYLOAD ? undefined : headers.get(name)),
    *startingWith(prefix) {
      for (const entry of headers.startingWith(prefix)) if (entry[0] !== PAYLOAD) yield entry;
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
