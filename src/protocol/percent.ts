import { S3Error } from '../errors/s3-error.ts';

/** Bytes above ASCII as Node hands them over. */
const NOT_ASCII = /[\x80-\xff]/g;
const ESCAPED_OR_NOT_ASCII = /[%\x80-\uffff]/;

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}

/**
 * Decodes `%XX` once, as UTF-8. Bytes above ASCII that a client left unescaped arrive as latin1
 * characters and count as bytes of the same UTF-8 text. `+` stays `+`.
 *
 * @throws S3Error InvalidURI for a bad escape or bad UTF-8
 */
export function decodePercent(raw: string): string {
  if (!ESCAPED_OR_NOT_ASCII.test(raw)) return raw;
  try {
    return decodeURIComponent(raw.replace(NOT_ASCII, escapeByte));
  } catch (error) {
    throw new S3Error('InvalidURI', { extra: { URI: raw }, cause: error });
  }
}

const PLAIN = /^[\w\-./~]*$/;

/**
 * `encoding-type=url` of listings: UTF-8 bytes percent-encoded, `/` kept. Space becomes `%20`,
 * which every client decodes (AWS writes `+`, which some take for a plus).
 *
 * @param text well-formed
 */
export function encodeForListing(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(text).replaceAll('%2F', '/');
}
