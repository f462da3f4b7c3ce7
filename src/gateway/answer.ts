import type { S3Error } from '../errors/s3-error.ts';
import { isByteSource, type S3Response } from '../protocol/response.ts';
import type { ByteSource } from '../streams/bytes.ts';
import { leaveBy } from '../streams/turn-end.ts';
import { encodeXml } from '../protocol/xml/encode.ts';
import { xmlBuffers } from '../protocol/xml/utf8-writer.ts';
import { controlErrorDocument, errorDocument } from './error-document.ts';
import type { Exchange } from './exchange.ts';
import { lingerOverBody, mustClose, readAwayBody } from './unread-body.ts';

export const SERVER_NAME = 's3-cloud-gateway';
const XML_TYPE = 'application/xml';

/** Statuses that never carry a body, nor a length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Makes the head of an answer, as the flat list of names and values that `writeHead` takes without building an object.
 * Called right before the answer goes out. `close`: the connection ends after it.
 */
export function headOf(exchange: Exchange, headers: S3Response['headers'], close: boolean): string[] {
  const { requestId, hostId } = exchange.ids;
  exchange.facts.firstByte = performance.now();
  const head = ['x-amz-request-id', requestId, 'x-amz-id-2', hostId, 'Server', SERVER_NAME];
  if (close) head.push('Connection', 'close');
  pushHeaders(head, headers);
  pushHeaders(head, exchange.corsHeaders);
  return head;
}

function pushHeaders(head: string[], headers: S3Response['headers']): void {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) head.push(name, value);
  }
}

/**
 * Writes the answer of an operation. Rejects when the body cannot be sent whole; undefined: nothing is left to be
 * waited for.
 */
export function writeAnswer(exchange: Exchange, answer: S3Response, close: boolean): Promise<void> | undefined {
  const { response, isHead } = exchange;
  const { status, headers, body } = answer;
  const closing = close || mustClose(exchange);
  const head = headOf(exchange, headers, closing);
  if (body !== undefined && isByteSource(body)) {
    if (headers?.['content-length'] === undefined) head.push('Content-Length', String(body.size));
    exchange.writeHead(status, head);
    exchange.facts.answerBytes = isHead ? 0 : body.size;
    if (!isHead) {
      exchange.answersWith(body.size);
      return pour(body, exchange);
    }
    body.discard();
    leaveBy(response.socket, () => response.end());
    return undefined;
  }
  if (body === undefined) {
    if (!BODILESS.has(status) && headers?.['content-length'] === undefined) head.push('Content-Length', '0');
    exchange.writeHead(status, head);
    return endAnswer(exchange, '', closing);
  }
  const text = encodeXml(body);
  head.push('Content-Type', XML_TYPE, 'Content-Length', String(text.length));
  exchange.writeHead(status, head);
  return endAnswer(exchange, isHead ? '' : text, closing);
}

/**
 * Counts the time for a body that the gateway did not spend waiting for the client as time that it waited for the
 * backend.
 */
async function pour(body: ByteSource, { response, signal, facts }: Exchange): Promise<void> {
  const began = performance.now();
  const waitedBefore = facts.clientWaitMs;
  try {
    await body.pipeTo(response, signal, facts);
  } finally {
    facts.backendWaitMs += performance.now() - began - (facts.clientWaitMs - waitedBefore);
  }
}

/**
 * Writes an S3 error. If the answer has begun already, it destroys the socket instead, so that the client does not take
 * the answer for whole.
 */
export async function writeError(exchange: Exchange, error: S3Error, close: boolean): Promise<void> {
  const { response, isHead, ids, resource } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const closing = close || mustClose(exchange);
  const head = headOf(exchange, error.headers, closing);
  if (isHead || BODILESS.has(error.status)) {
    exchange.writeHead(error.status, head);
    return endAnswer(exchange, '', closing);
  }
  const text = Buffer.from(
    exchange.control ? controlErrorDocument(error, resource, ids) : errorDocument(error, resource, ids),
  );
  head.push('Content-Type', XML_TYPE, 'Content-Length', String(text.length));
  exchange.writeHead(error.status, head);
  return endAnswer(exchange, text, closing);
}

/** Writes an answer that consists of one text. For services other than S3, such as STS. */
interface TextAnswer {
  readonly status: number;
  readonly text: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function writeText(
  exchange: Exchange,
  { status, text, type, headers }: TextAnswer,
  close: boolean,
): Promise<void> {
  const closing = close || mustClose(exchange);
  const bytes = Buffer.from(text);
  const head = headOf(exchange, { ...headers, 'Content-Type': type, 'Content-Length': String(bytes.length) }, closing);
  exchange.writeHead(status, head);
  return endAnswer(exchange, bytes, closing);
}

/** Ends the answer: over TLS at once, else at the end of the turn, or later. */
function endAnswer(exchange: Exchange, text: Buffer | '', closing: boolean): Promise<void> | undefined {
  exchange.facts.answerBytes = text.length;
  if (closing && exchange.bytesToCome > 0) return endLater(exchange, text);
  leaveBy(exchange.response.socket, () => endNow(exchange, text));
  return undefined;
}

function endNow(exchange: Exchange, text: Buffer | ''): void {
  const { response } = exchange;
  if (text === '') response.end();
  // Called when the kernel has the bytes, or will never get them.
  else response.end(text, () => xmlBuffers.giveBack(text));
  readAwayBody(exchange);
}

/**
 * Ends the answer on a connection that must close: it stays open for a while, in which the gateway reads and ignores
 * what the client still sends.
 */
async function endLater(exchange: Exchange, text: Buffer | ''): Promise<void> {
  const { response } = exchange;
  if (text === '') response.flushHeaders();
  else response.write(text);
  await lingerOverBody(exchange);
  response.end();
}
