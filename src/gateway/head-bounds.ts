import type { IncomingMessage } from 'node:http';
import { invalidArgument, S3Error } from '../errors/s3-error.ts';
import { hasSingleBlanks } from './request-line.ts';

/**
 * Most header lines of a request. The metadata of an object takes a hundred at most, since all of it must be signed.
 */
export const MAX_HEADER_LINES = 256;
/** Most parameters of a query: as many as header lines, since presigned URLs carry headers in their query. */
export const MAX_QUERY_PARAMETERS = 256;
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/**
 * Refuses heads with too many parts, before any part is looked at, so that the work for a stranger is in proportion to
 * the bytes that he sent. Node's `maxHeaderSize`, 16 KiB, bounds the bytes.
 * @param target of the request, as it came
 * @throws S3Error BadRequest (a version of HTTP that the gateway does not speak, blanks in the request line),
 * RequestHeaderSectionTooLarge
 */
export function checkHead(request: IncomingMessage, target: string): void {
  const { httpVersion, rawHeaders } = request;
  if (!VERSIONS.has(httpVersion)) {
    throw new S3Error('BadRequest', { message: 'Requests must be made with HTTP/1.1 or HTTP/1.0.' });
  }
  if (!hasSingleBlanks(request, target)) {
    throw new S3Error('BadRequest', { message: 'The parts of the request line must be parted by one blank.' });
  }
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) {
    throw new S3Error('RequestHeaderSectionTooLarge', { extra: { MaxHeaders: MAX_HEADER_LINES } });
  }
}

/** @param rawQuery without `?` @throws S3Error InvalidArgument */
export function checkQuery(rawQuery: string): void {
  let parameters = 0;
  for (let at = rawQuery.indexOf('&'); at >= 0; at = rawQuery.indexOf('&', at + 1)) {
    parameters += 1;
    if (parameters >= MAX_QUERY_PARAMETERS) {
      throw invalidArgument('QueryString', '', `A request may have ${MAX_QUERY_PARAMETERS} query parameters at most.`);
    }
  }
}
