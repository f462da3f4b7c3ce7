import { isDeepStrictEqual } from 'node:util';
import { S3Error } from '../errors/s3-error.ts';
import type { S3Response } from '../protocol/response.ts';
import { isByteSource } from '../protocol/response.ts';
import { encodeRoot, XML_PROLOG } from '../protocol/xml/encode.ts';
import { leaveBy } from '../streams/turn-end.ts';
import { headOf } from './answer.ts';
import { errorElement } from './error-document.ts';
import type { Exchange } from './exchange.ts';

const DEFAULT_INTERVAL_MS = 10_000;

/**
 * The answer of an operation that may take long (CopyObject, UploadPartCopy, CompleteMultipartUpload).
 *
 * Nothing is sent for a while, so that most errors still get their own status. Then the gateway sends 200, the XML
 * prolog, and white space that keeps clients and balancers waiting; an error that comes later travels in the body. The
 * prolog goes first because white space before it breaks parsers. The body is always chunked. What is ready before that
 * leaves as one chunk, with the head.
 */
export class LongAnswer {
  readonly #exchange: Exchange;
  #headers: S3Response['headers'];
  readonly #timer: NodeJS.Timeout;
  #started = false;

  /** From now on the status may be sent early. @param headers all that the answer will have */
  constructor(exchange: Exchange, headers: S3Response['headers'], intervalMs = DEFAULT_INTERVAL_MS) {
    this.#exchange = exchange;
    this.#headers = headers;
    exchange.facts.awaited = false;
    this.#timer = setInterval(() => this.#tick(), intervalMs);
  }

  /**
   * The operation begins anew, with another state of what it works on.
   * @throws S3Error SlowDown: other headers are on their way already; a client that repeats the request gets its own
   */
  again(headers: S3Response['headers']): void {
    if (this.#started && !isDeepStrictEqual(headers, this.#headers)) throw new S3Error('SlowDown');
    this.#headers = headers;
  }

  /** 200 is on its way: neither status nor headers can change any more. */
  get started(): boolean {
    return this.#started;
  }

  finish(answer: S3Response): void {
    this.stop();
    const { body, headers = this.#headers, status } = answer;
    if (body === undefined || isByteSource(body)) throw new TypeError('a long answer is an XML document');
    const { response } = this.#exchange;
    const text = encodeRoot(body);
    if (this.#started) {
      response.end(text);
      return;
    }
    this.#begin(status, headers);
    leaveBy(response.socket, () => response.end(XML_PROLOG + text));
  }

  fail(error: S3Error): void {
    this.stop();
    this.#exchange.response.end(errorElement(error, this.#exchange.resource, this.#exchange.ids));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const isFirst = !this.#started;
    if (isFirst) this.#begin(200, this.#headers);
    this.#exchange.response.write(isFirst ? XML_PROLOG : ' ');
  }

  /** Writes the head, which leaves with what follows it. */
  #begin(status: number, headers: S3Response['headers']): void {
    this.#started = true;
    const head = headOf(this.#exchange, headers, false);
    head.push('Content-Type', 'application/xml');
    this.#exchange.writeHead(status, head);
  }
}
