import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CountedRequest, Counted } from '../access/rates/rate-limits.ts';
import type { RequestFacts } from '../observe/request-facts.ts';
import { SMALL_BODY, bulkPacer } from '../streams/bulk-pacer.ts';
import type { OwnedRequestBody } from '../protocol/body/request-body.ts';
import type { S3Error } from '../errors/s3-error.ts';
import type { HeaderReader } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import type { RequestMemory } from './memory/request-memory.ts';
import type { AnswerIds } from './error-document.ts';

/** The reason with which work is aborted when its client has gone. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

/** An answer that may begin before it is known what becomes of the request (`long-answer.ts`). */
interface LongAnswer {
  /** 200 is on its way: neither status nor headers can change any more. */
  readonly started: boolean;
  /** The work begins anew. @throws S3Error SlowDown: other headers are on their way */
  again(headers: S3Response['headers']): void;
  finish(answer: S3Response): void;
  fail(error: S3Error): void;
  stop(): void;
}

/**
 * One request on its socket and its answer, with the state between the two: headers, body, facts, and the signal that
 * ends the work when the client leaves.
 */
export class Exchange {
  /** Among those under way. */
  place = -1;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: HeaderReader;
  /** What is known of the request so far. */
  readonly facts: RequestFacts;
  readonly ids: AnswerIds;
  /** Ends the work when the client leaves. */
  readonly signal: AbortSignal;
  /** Whether the method is HEAD: then every answer has headers only. */
  readonly isHead: boolean;
  /** Raw path of the target, for error bodies. */
  resource = '/';
  /** A call of S3 Control, whose errors are written another way. */
  control = false;
  /** Body of the request, once it is known who sent it. */
  body: OwnedRequestBody | undefined;
  /** Whose limits it counts against since it was let in; absent: there are none. */
  counted: Counted | undefined;
  /** Absent: none of these has a limit. */
  admission: CountedRequest | undefined;
  /** Of what nobody has signed yet; absent: nobody counts it. */
  memory: RequestMemory | undefined;
  /** Called when the body begins to be read: until then what has come of it counts as unsigned. */
  onBodyRead: (() => void) | undefined;
  /** CORS headers that every answer to this request gets; absent: none. */
  corsHeaders: Readonly<Record<string, string>> | undefined;
  /** Absent: the operation did not say that it may take long. */
  long: LongAnswer | undefined;
  /** True while the client holds its body back. After a final answer it may or may not send that body. */
  continuePending: boolean;
  readonly #abort = new AbortController();
  readonly #bytesReadBefore: number;
  readonly #bytesWrittenBefore: number;
  #bodyOpened = false;
  /** Counted as a request for which large bodies make room. */
  #small = false;
  /** `100 Continue` waits in Node's buffer, since an earlier answer on the connection is not whole yet. */
  #interimQueued = false;

  constructor(parts: Pick<Exchange, 'request' | 'response' | 'headers' | 'facts'>) {
    this.request = parts.request;
    this.response = parts.response;
    this.headers = parts.headers;
    this.facts = parts.facts;
    this.ids = parts.facts.head;
    this.signal = this.#abort.signal;
    this.isHead = parts.request.method === 'HEAD';
    this.#bytesReadBefore = parts.request.socket.bytesRead;
    this.#bytesWrittenBefore = parts.request.socket.bytesWritten;
    this.continuePending = parts.headers.get('expect')?.toLowerCase() === '100-continue';
  }

  /** From here on large bodies make room for it, unless its own is one. Must be followed by `noteEnd`. */
  begin(): void {
    if (Number(this.headers.get('content-length') ?? 0) > SMALL_BODY) return;
    this.#small = true;
    bulkPacer.smallBegan();
  }

  /** The answer has a body of that many bytes. */
  answersWith(size: number): void {
    if (size > SMALL_BODY) this.#noLongerSmall('large');
  }

  #noLongerSmall(turnedOut: 'small' | 'large'): void {
    if (!this.#small) return;
    this.#small = false;
    bulkPacer.smallOver(turnedOut);
  }

  /** Aborts the work for this request. If it is called again, the first reason stays. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Called when the body is about to be read. Only now does a client that waits for `100 Continue` get it. */
  bodyOpened(): void {
    this.#bodyOpened = true;
    this.onBodyRead?.();
    if (this.continuePending) {
      this.continuePending = false;
      this.#interimQueued = this.response.socket === null;
      this.response.writeContinue();
    }
  }

  /**
   * Begins the answer. Node may put a head that goes out together with the first bytes of its body in front of
   * everything that is buffered. An interim answer that is still buffered (`100 Continue`) would then end up in the
   * body. So behind a buffered interim answer the head goes out by itself.
   */
  writeHead(status: number, head: string[]): void {
    this.response.writeHead(status, head);
    if (this.#interimQueued) this.response.flushHeaders();
  }

  /**
   * True while only the client keeps the body from moving: the gateway does not hold it back, and not all of it has
   * come.
   */
  get awaitsClient(): boolean {
    const { request } = this;
    return this.#bodyOpened && !request.complete && !request.isPaused() && request.readableLength === 0;
  }

  /** The bytes of this request so far, as the socket counts them. */
  get flowed(): { readonly bytesIn: number; readonly bytesOut: number } {
    const { socket } = this.request;
    return {
      bytesIn: socket.bytesRead - this.#bytesReadBefore,
      bytesOut: socket.bytesWritten - this.#bytesWrittenBefore,
    };
  }

  /** Notes what the socket tells in the facts, when the answer is over. */
  noteEnd(): void {
    this.#noLongerSmall('small');
    const { facts, request, response } = this;
    facts.ended = performance.now();
    facts.status = response.statusCode;
    // Bytes that came together with the head were read before this request was known.
    facts.bytesIn = Math.max(request.socket.bytesRead - this.#bytesReadBefore, facts.body?.received ?? 0);
    facts.bytesOut = request.socket.bytesWritten - this.#bytesWrittenBefore;
    facts.clientLeft = !response.writableFinished;
    facts.giveRoomBack();
  }

  /** Bytes of the body that have not come yet, according to the headers; Infinity for chunked bodies. */
  get bytesToCome(): number {
    if (this.request.complete) return 0;
    const length = this.headers.get('content-length');
    if (length === undefined) return this.headers.get('transfer-encoding') === undefined ? 0 : Number.POSITIVE_INFINITY;
    const received = this.request.socket.bytesRead - this.#bytesReadBefore;
    return Math.max(1, Number(length) - received);
  }
}
