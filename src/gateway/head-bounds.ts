import type { IncomingMessage } from 'node:http';
import { invalidArgument, S3Error } from '../errors/s3-error.ts';
import { bytesBeingParsed } from './node-parser.ts';

/**
 * Most header lines of a request. The metadata of an object takes a hundred at most, since all of it must be signed.
 */
export const MAX_HEADER_LINES = 256;
/** Most parameters of a query: as many as header lines, since presigned URLs carry headers in their query. */
export const MAX_QUERY_PARAMETERS = 256;
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
/** Of requests that wait to be served: whether `hasSingleBlanks` held while their heads were parsed. */
const seenLines = new WeakMap<IncomingMessage, boolean>();

/** Looks at the line of a request that is served later. Must be called while its head is being parsed. */
export function seeLine(request: IncomingMessage): void {
  seenLines.set(request, hasSingleBlanks(request, request.url ?? ''));
}

/**
 * Refuses heads with too many parts before it looks at any part, so that the work for an unsigned request is in
 * proportion to its bytes. Node's `maxHeaderSize`, 16 KiB, bounds the bytes.
 * @param target of the request, as it came
 * @throws S3Error BadRequest (a version of HTTP that the gateway does not speak, blanks in the request line),
 * RequestHeaderSectionTooLarge
 */
export function checkHead(request: IncomingMessage, target: string): void {
  const { httpVersion, rawHeaders } = request;
  if (!VERSIONS.has(httpVersion)) {
    throw new S3Error('BadRequest', { message: 'Requests must be made with HTTP/1.1 or HTTP/1.0.' });
  }
  if (!(seenLines.get(request) ?? hasSingleBlanks(request, target))) {
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

const BLANK = 0x20;
/** Of `HTTP/`. */
const H = 0x48;

/**
 * Whether the request line has exactly one blank between its parts. Node's parser accepts several, even in strict mode,
 * and a proxy that counts blanks otherwise would see another target. Must be asked while the head is being parsed, that
 * is, before anything is awaited. A line that came in several pieces passes, because only the last piece can be looked
 * at.
 * @param target as it came: Fastify has another in `request.url`
 */
function hasSingleBlanks({ socket, method = '' }: IncomingMessage, target: string): boolean {
  const bytes = bytesBeingParsed(socket);
  const at = method.length;
  const end = at + 1 + target.length;
  // Compares in place: this is asked of every request, and texts made of the bytes would cost more than the rest.
  if (
    bytes === undefined ||
    (bytes[at] === BLANK &&
      bytes[end] === BLANK &&
      bytes[end + 1] === H &&
      isTextAt(bytes, 0, method) &&
      isTextAt(bytes, at + 1, target))
  ) {
    return true;
  }
  // The line is not at the beginning of the buffer: it stands behind another request or behind empty lines, or is not
  // there at all.
  return bytes.includes(`\n${method} ${target} H`, 0, 'latin1') || !hasDoubledBlanks(bytes, method, target);
}

function isTextAt(bytes: Buffer, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

function hasDoubledBlanks(bytes: Buffer, method: string, target: string): boolean {
  let at = bytes.indexOf(`${method} `, 0, 'latin1');
  for (; at >= 0; at = bytes.indexOf(`${method} `, at + 1, 'latin1')) {
    const first = afterBlanks(bytes, at + method.length);
    if (!isTextAt(bytes, first, target)) continue;
    const version = afterBlanks(bytes, first + target.length);
    if (first > at + method.length + 1 || version > first + target.length + 1) return true;
  }
  return false;
}

function afterBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === BLANK) at += 1;
  return at;
}
