import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { S3Error } from '../errors/s3-error.ts';
import type { S3ErrorCode } from '../errors/error-table.ts';
import type { PipelinedRequests } from './pipelined-requests.ts';
import { answerSocket } from './socket-answer.ts';

const REASONS: Readonly<Record<string, S3ErrorCode>> = {
  HPE_INVALID_METHOD: 'MethodNotAllowed',
  HPE_HEADER_OVERFLOW: 'RequestHeaderSectionTooLarge',
  HPE_INVALID_URL: 'InvalidURI',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
};

/** What Node's parser adds: the last bytes that it was given, and where in them it stopped. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * Answers requests that Node's parser refuses: request smuggling (two lengths, a length beside a transfer coding), bad
 * header lines, headers that are too long or too slow. The connection ends, because it is unknown where the next
 * request would begin.
 */
export function answerClientErrors(server: Server, requests: Pick<PipelinedRequests, 'lastOn'>): void {
  /** The parser complains again about each packet that still comes. */
  const ending = new WeakSet<Duplex>();
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    refuse(error, socket, requests.lastOn(socket));
  });
}

/** @param last the last answer of this connection: what is wrong may be its request's body, or the request behind it */
function refuse(error: ParserError, socket: Duplex, last: ServerResponse | undefined): void {
  if (last === undefined || last.closed) {
    answer(error, socket, isHead(error));
  } else if (last.req.complete) {
    // The request gets its answer, which may be on its way. Nothing may be written into that.
    last.once('close', () => answer(error, socket, isHead(error)));
  } else if (last.writableEnded) {
    last.once('close', () => socket.destroy());
  } else if (last.headersSent) {
    socket.destroy();
  } else {
    answer(error, socket, last.req.method === 'HEAD');
  }
}

function answer(error: ParserError, socket: Duplex, withoutBody: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = new S3Error(REASONS[error.code ?? ''] ?? 'BadRequest');
  answerSocket(socket, failure, { withoutBody, done: () => socket.destroy() });
}

/** Lines that begin so are no header lines. */
const REQUEST_LINE = /(?:^|\n)([A-Z]+) /g;

/**
 * Whether the request that the parser stopped in is a HEAD, as far as the last packet tells. A client that sends its
 * request line in another packet than what is wrong gets a body, and the end of the connection behind it.
 */
function isHead({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const seen = rawPacket?.toString('latin1', 0, bytesParsed + 'HEAD '.length) ?? '';
  return [...seen.matchAll(REQUEST_LINE)].at(-1)?.[1] === 'HEAD';
}
