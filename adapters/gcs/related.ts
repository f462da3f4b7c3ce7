import { randomBytes } from 'node:crypto';
import type { UploadBody } from '../../src/streams/bytes.ts';
import type { GcsRequest } from './request.ts';

const CRLF = '\r\n';
const HEADER_SAFE = /^[\x20-\x7e]+$/;

/** The type is said twice, so that it does not matter which of the two a server believes. */
interface NewObject {
  readonly contentType: string;
}

/**
 * An upload in one request: the resource and the bytes as two parts of `multipart/related`
 * (https://cloud.google.com/storage/docs/uploading-objects#uploading-an-object). A stream goes between two buffers, so
 * that the closing boundary, without which the service stores nothing, leaves only when the stream has ended well.
 */
export function relatedBody(
  resource: NewObject,
  body: UploadBody,
): Pick<GcsRequest, 'body' | 'frame'> & { readonly headers: readonly string[] } {
  // 144 random bits: no body holds them by chance.
  const boundary = randomBytes(18).toString('hex');
  const part = `--${boundary}${CRLF}content-type: `;
  const type = HEADER_SAFE.test(resource.contentType) ? resource.contentType : 'application/octet-stream';
  const opening = `${part}application/json; charset=UTF-8${CRLF}${CRLF}${JSON.stringify(resource)}${CRLF}${part}${type}${CRLF}${CRLF}`;
  const before = Buffer.from(opening);
  const after = Buffer.from(`${CRLF}--${boundary}--${CRLF}`);
  const headers = ['content-type', `multipart/related; boundary=${boundary}`];
  return body instanceof Uint8Array
    ? { headers, body: Buffer.concat([before, body, after]) }
    : { headers, body, frame: { before, after } };
}
