import type { IncomingHttpHeaders } from 'node:http';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Pool, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import { NO_ANSWER_IN_TIME, StoreError } from '../../../src/store/store-error.ts';
import type { UploadBody } from '../../../src/streams/bytes.ts';
import { ExactBody } from './exact-body.ts';
import { RateWatch } from './rate-watch.ts';
import { UNDICI_READ_AHEAD, UndiciBody } from './undici-body.ts';
import { WireError } from './transport.ts';
import type { BodyFrame, Hold, Transport, WireFailure, WireRequest, WireResponse } from './transport.ts';

export interface UndiciTransportOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly maxConnections: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly idleTimeout: number;
  readonly keepAlive: number;
  /** PEM certificates trusted besides the usual ones. */
  readonly ca?: string;
  readonly proxy?: string;
}

/** undici accepts anything that emits `data` and `end` as a body, but its types ask for a whole `Readable`. */
interface EmitterDispatcher {
  dispatch(options: DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  destroy(): Promise<void>;
}

type DispatchOptions = Omit<Dispatcher.DispatchOptions, 'body'> & {
  readonly body?: Dispatcher.DispatchOptions['body'] | ExactBody;
};

/** Transport over undici's pool of keep-alive HTTP/1.1 connections. */
export class UndiciTransport implements Transport {
  readonly #origin: string;
  readonly #dispatcher: EmitterDispatcher;
  readonly #idleTimeout: number;

  constructor(options: UndiciTransportOptions) {
    this.#origin = options.origin;
    this.#idleTimeout = options.idleTimeout;
    this.#dispatcher = createDispatcher(options);
  }

  send(request: WireRequest, signal: AbortSignal, hold?: Hold): Promise<WireResponse> {
    if (signal.aborted) {
      hold?.release();
      return Promise.reject(new WireError('aborted', false, signal.reason));
    }
    return new Promise((resolve, reject) => {
      const upload = streamed(request.body, request.frame);
      const exchange = new Exchange(
        {
          isHead: request.method === 'HEAD',
          upload,
          queueTimeout: request.responseTimeout,
          idleTimeout: this.#idleTimeout,
          signal,
          hold,
        },
        { resolve, reject },
      );
      try {
        this.#dispatcher.dispatch(dispatchOptions(this.#origin, request, upload), exchange);
      } catch (error) {
        exchange.refuse(error);
      }
    });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

function createDispatcher(options: UndiciTransportOptions): Pool | ProxyAgent {
  // Read once and not for each connection, because reading all the usual certificates takes ten milliseconds.
  const trusted =
    options.ca === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), options.ca] }) };
  const shared = {
    connections: options.maxConnections,
    bodyTimeout: options.idleTimeout,
    keepAliveTimeout: options.keepAlive,
    keepAliveMaxTimeout: options.keepAlive,
    pipelining: 1,
  };
  if (options.proxy !== undefined) {
    return new ProxyAgent({ ...shared, uri: options.proxy, requestTls: trusted, proxyTls: trusted });
  }
  return new Pool(options.origin, { ...shared, connect: { ...trusted, timeout: options.connectTimeout } });
}

function streamed(body: UploadBody | undefined, frame: BodyFrame | undefined): ExactBody | undefined {
  return body === undefined || body instanceof Uint8Array ? undefined : new ExactBody(body, frame);
}

function inMemory(body: UploadBody | undefined): Uint8Array | null {
  return body instanceof Uint8Array ? body : null;
}

function dispatchOptions(origin: string, request: WireRequest, upload: ExactBody | undefined): DispatchOptions {
  if (upload !== undefined) request.headers.push('content-length', String(upload.size));
  return {
    origin,
    path: request.path,
    method: request.method,
    headers: request.headers,
    body: upload ?? inMemory(request.body),
    headersTimeout: request.responseTimeout,
    // undici closes the connection after every HEAD unless told otherwise: a guard that these services do not need.
    reset: false,
  };
}

interface Subject {
  readonly isHead: boolean;
  readonly upload: ExactBody | undefined;
  /** Milliseconds that it may wait for a connection. */
  readonly queueTimeout: number;
  /** Milliseconds of silence within the answer's body. */
  readonly idleTimeout: number;
  readonly signal: AbortSignal;
  readonly hold: Hold | undefined;
}

interface Settle {
  readonly resolve: (response: WireResponse) => void;
  readonly reject: (error: WireError) => void;
}

/** One request and its answer, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #subject: Subject;
  readonly #settle: Settle;
  readonly #onAbort = (): void => this.#abort();
  readonly #queued: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #body: UndiciBody | undefined;
  #rate: RateWatch | undefined;
  #givenUp = false;
  #received = 0;

  constructor(subject: Subject, settle: Settle) {
    this.#subject = subject;
    this.#settle = settle;
    this.#queued = setTimeout(
      () => this.#giveUp('timeout', new Error('no connection came free')),
      subject.queueTimeout,
    );
    subject.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#queued);
    this.#controller = controller;
    if (this.#subject.upload !== undefined) this.#subject.hold?.uploads(this);
    if (this.#subject.signal.aborted) this.#abort();
    else if (this.#givenUp) controller.abort(new Error('given up'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const size = this.#subject.isHead ? 0 : Number(headers['content-length'] ?? 0);
    if (size > UNDICI_READ_AHEAD && this.#subject.hold?.downloads(this) === false) {
      this.stop();
      return;
    }
    const body = new UndiciBody(size, controller);
    const onSlow = (): void => controller.abort(new TooSlow());
    this.#body = body;
    this.#rate = new RateWatch({ interval: this.#subject.idleTimeout, heldUp: body.heldUp, onSlow });
    this.#settle.resolve({ status, headers, body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length;
    this.#rate?.received(chunk.length);
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    if (this.#body !== undefined) {
      this.#body.fail(this.#bodyError(error));
    } else {
      this.#settle.reject(
        new WireError(this.#failureOf(error), this.#controller !== undefined, this.#subject.upload?.failure ?? error),
      );
    }
  }

  /** Of a body, whichever way it goes. For `Mover`. */
  get moved(): number {
    return this.#received + (this.#subject.upload?.passedOn ?? 0);
  }

  /** For `Mover`. */
  get mayStop(): boolean {
    const { upload } = this.#subject;
    return upload !== undefined && !upload.readableEnded;
  }

  /** For `Mover`. */
  stop(): void {
    this.#controller?.abort(new Crowded());
  }

  /** undici would not even take the request. */
  refuse(error: unknown): void {
    this.#finish();
    this.#settle.reject(new WireError('malformed', false, error));
  }

  #abort(): void {
    const reason: unknown = this.#subject.signal.reason;
    const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
    if (this.#controller !== undefined) this.#controller.abort(error);
    // Still queued for a connection: undici asks `onRequestStart` later, which aborts then.
    else this.#giveUp('aborted', error);
  }

  /** undici keeps it in its queue; when its turn comes, `onRequestStart` ends it. */
  #giveUp(failure: WireFailure, error: Error): void {
    this.#givenUp = true;
    this.#finish();
    this.#settle.reject(new WireError(failure, false, error));
  }

  #finish(): void {
    clearTimeout(this.#queued);
    this.#rate?.stop();
    this.#subject.signal.removeEventListener('abort', this.#onAbort);
    this.#subject.upload?.destroy();
    this.#subject.hold?.release();
  }

  #failureOf(error: Error): WireFailure {
    if (this.#subject.upload?.failure !== undefined) return 'body';
    if (this.#subject.signal.aborted) return 'aborted';
    return FAILURES[codeOf(error)] ?? 'network';
  }

  #bodyError(error: Error): StoreError {
    const late = FAILURES[codeOf(error)] === 'timeout' && { code: NO_ANSWER_IN_TIME };
    return new StoreError(this.#subject.signal.aborted ? 'aborted' : 'unavailable', {
      call: 'read',
      ...late,
      cause: error,
    });
  }
}

class TooSlow extends Error {
  readonly code = 'UND_ERR_BODY_TIMEOUT';

  constructor() {
    super('body too slow');
    this.name = 'TooSlow';
  }
}

/** Others need the connection more. */
class Crowded extends Error {
  readonly code = 'CROWDED';

  constructor() {
    super('others needed the connection more');
    this.name = 'Crowded';
  }
}

const FAILURES: Readonly<Record<string, WireFailure>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  CROWDED: 'crowded',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
};

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
