import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestFacts } from '../observe/request-facts.ts';
import type { OwnedRequestBody } from '../protocol/body/request-body.ts';
import type { HeaderReader } from '../protocol/request.ts';
import type { AnswerIds } from './error-document.ts';

/** Why work for a client that is gone ends. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

/** One request on its socket, its answer, and what happens between them. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: HeaderReader;
  /** What is known of it so far. */
  readonly facts: RequestFacts;
  /** Raw path of the target, for error bodies. */
  resource = '/';
  /** A call of S3 Control, whose errors are written another way. */
  control = false;
  /** Body of the request, once it is known who sent it. */
  body: OwnedRequestBody | undefined;
  /** What the answer says to browsers, whatever it is; absent: nothing. */
  corsHeaders: Readonly<Record<string, string>> | undefined;
  readonly #abort = new AbortController();
  readonly #bytesReadBefore: number;
  readonly #bytesWrittenBefore: number;
  #continuePending: boolean;
  #bodyOpened = false;
  /** `100 Continue` waits in Node's buffer, since an earlier answer on the connection is not whole yet. */
  #interimQueued = false;

  constructor(parts: Pick<Exchange, 'request' | 'response' | 'headers' | 'facts'>) {
    this.request = parts.request;
    this.response = parts.response;
    this.headers = parts.headers;
    this.facts = parts.facts;
    this.#bytesReadBefore = parts.request.socket.bytesRead;
    this.#bytesWrittenBefore = parts.request.socket.bytesWritten;
    this.#continuePending = parts.headers.get('expect')?.toLowerCase() === '100-continue';
  }

  get ids(): AnswerIds {
    return this.facts.head;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** HEAD: headers only, whatever the answer. */
  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  /** Ends the work for this request; the first reason stays. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** The body is about to be read: only now does a client that waits for `100 Continue` get it. */
  bodyOpened(): void {
    this.#bodyOpened = true;
    if (this.#continuePending) {
      this.#continuePending = false;
      this.#interimQueued = this.response.socket === null;
      this.response.writeContinue();
    }
  }

  /**
   * Begins the answer. Node puts a head that goes out with the first bytes of its body before all that is buffered, an
   * interim answer included, which would end up in the body: behind a buffered one the head goes by itself.
   */
  writeHead(status: number, head: string[]): void {
    this.response.writeHead(status, head);
    if (this.#interimQueued) this.response.flushHeaders();
  }

  /** True while nothing but the client keeps the body from moving: it is not held back by us, and not all there. */
  get awaitsClient(): boolean {
    const { request } = this;
    return this.#bodyOpened && !request.complete && !request.isPaused() && request.readableLength === 0;
  }

  /** Bytes of this request so far, as the socket has it. */
  get flowed(): { readonly bytesIn: number; readonly bytesOut: number } {
    const { socket } = this.request;
    return {
      bytesIn: socket.bytesRead - this.#bytesReadBefore,
      bytesOut: socket.bytesWritten - this.#bytesWrittenBefore,
    };
  }

  /** Writes down what the socket tells, when the answer is over. */
  noteEnd(): void {
    const { facts, request, response } = this;
    facts.ended = performance.now();
    facts.status = response.statusCode;
    // What came together with the head was read before this request was known.
    facts.bytesIn = Math.max(request.socket.bytesRead - this.#bytesReadBefore, facts.body?.received ?? 0);
    facts.bytesOut = request.socket.bytesWritten - this.#bytesWrittenBefore;
    facts.clientLeft = !response.writableFinished;
    facts.giveRoomBack();
  }

  /** The client still holds its body back and may or may not send it after a final answer. */
  get continuePending(): boolean {
    return this.#continuePending;
  }

  /** Bytes of the body that have not come yet, as far as the headers say; Infinity for chunked ones. */
  get bytesToCome(): number {
    if (this.request.complete) return 0;
    const length = this.headers.get('content-length');
    if (length === undefined) return this.headers.get('transfer-encoding') === undefined ? 0 : Number.POSITIVE_INFINITY;
    const received = this.request.socket.bytesRead - this.#bytesReadBefore;
    return Math.max(1, Number(length) - received);
  }
}
