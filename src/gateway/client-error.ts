import type { Duplex } from 'node:stream';
import { S3Error } from '../errors/s3-error.ts';
import type { S3ErrorCode } from '../errors/error-table.ts';
import { newHostId, newRequestId } from '../observe/random-id.ts';
import { SERVER_NAME } from './answer.ts';
import { errorDocument } from './error-document.ts';

const REASONS: Readonly<Record<string, S3ErrorCode>> = {
  HPE_INVALID_METHOD: 'MethodNotAllowed',
  HPE_HEADER_OVERFLOW: 'RequestHeaderSectionTooLarge',
  HPE_INVALID_URL: 'InvalidURI',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
};
const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  503: 'Slow Down',
};
const hostId = newHostId();

/**
 * Answers a request that Node's parser refused: request smuggling (two lengths, a length beside a transfer coding), bad
 * header lines, headers that are too long or too slow. The connection ends, because nobody knows where the next request
 * would begin.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerSocket(socket, new S3Error(REASONS[error.code ?? ''] ?? 'BadRequest'), () => socket.destroy());
}

/** Writes an error to a socket on which no request is known, and ends our side of it. */
export function answerSocket(socket: Duplex, failure: S3Error, done?: () => void): void {
  const ids = { requestId: newRequestId(), hostId };
  const body = errorDocument(failure, '', ids);
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_TEXT[failure.status] ?? ''}`,
    `x-amz-request-id: ${ids.requestId}`,
    `x-amz-id-2: ${ids.hostId}`,
    `Date: ${new Date().toUTCString()}`,
    `Server: ${SERVER_NAME}`,
    'Content-Type: application/xml',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, done);
}
