import type { HeaderReader, QueryReader } from '../request.ts';

/** Parameters of the signature itself, and checksums: SDKs hoist that of an empty body, whatever is sent later. */
const NOT_HEADERS = /^x-amz-(?:algorithm|credential|date|expires|signedheaders|signature|security-token|content-sha256|user-agent|checksum-.*|sdk-checksum-algorithm)$/;

/**
 * Presigned URLs carry `x-amz-*` headers in their query ("hoisted"), covered by the signature; S3 takes
 * them as if they had been sent. A header that was sent wins.
 */
export function withHoistedHeaders(headers: HeaderReader, query: QueryReader): HeaderReader {
  if (!query.has('X-Amz-Signature') && !query.has('Signature')) return headers;
  const hoisted = new Map<string, string>();
  for (const name of query.names()) {
    const header = name.toLowerCase();
    if (header.startsWith('x-amz-') && !NOT_HEADERS.test(header) && headers.get(header) === undefined) {
      hoisted.set(header, Buffer.from(query.get(name) ?? '').toString('latin1'));
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
