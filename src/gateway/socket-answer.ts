import type { Duplex } from 'node:stream';
import type { S3Error } from '../errors/s3-error.ts';
import { newHostId, newRequestId } from '../observe/random-id.ts';
import { SERVER_NAME } from './answer.ts';
import { errorDocument } from './error-document.ts';

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  503: 'Slow Down',
};
const hostId = newHostId();

interface SocketAnswer {
  /** Of a HEAD. */
  readonly withoutBody?: boolean;
  readonly done?: () => void;
}

/** Writes an error to a socket on which no request is known, and ends our side of it. */
export function answerSocket(socket: Duplex, failure: S3Error, { withoutBody = false, done }: SocketAnswer = {}): void {
  const ids = { requestId: newRequestId(), hostId };
  const body = errorDocument(failure, '', ids);
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_TEXT[failure.status] ?? ''}`,
    `x-amz-request-id: ${ids.requestId}`,
    `x-amz-id-2: ${ids.hostId}`,
    `Date: ${new Date().toUTCString()}`,
    `Server: ${SERVER_NAME}`,
    ...(withoutBody ? [] : ['Content-Type: application/xml', `Content-Length: ${Buffer.byteLength(body)}`]),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${withoutBody ? '' : body}`, done);
}
