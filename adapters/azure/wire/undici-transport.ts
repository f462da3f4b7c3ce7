import { finished } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import { getCACertificates } from 'node:tls';
import { Pool, ProxyAgent, errors } from 'undici';
import type { Dispatcher } from 'undici';
import { StoreError } from '../../../src/store/store-error.ts';
import type { StreamBody } from '../../../src/streams/bytes.ts';
import { UndiciBody } from './undici-body.ts';
import { WireError } from './transport.ts';
import type { Transport, WireFailure, WireRequest, WireResponse } from './transport.ts';

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

/** Transport over undici's pool of keep-alive HTTP/1.1 connections. */
export class UndiciTransport implements Transport {
  readonly #origin: string;
  readonly #dispatcher: Pool | ProxyAgent;

  constructor(options: UndiciTransportOptions) {
    this.#origin = options.origin;
    this.#dispatcher = createDispatcher(options);
  }

  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    if (signal.aborted) return Promise.reject(new WireError('aborted', false, signal.reason));
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, signal, { resolve, reject });
      try {
        this.#dispatcher.dispatch(dispatchOptions(this.#origin, request), exchange);
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
  const trusted = options.ca === undefined ? {} : { ca: [...getCACertificates('default'), options.ca] };
  const shared = {
    connections: options.maxConnections,
    bodyTimeout: options.idleTimeout,
    keepAliveTimeout: options.keepAlive,
    keepAliveMaxTimeout: options.keepAlive,
    pipelining: 1,
  };
  if (options.proxy !== undefined) return new ProxyAgent({ ...shared, uri: options.proxy, requestTls: trusted });
  return new Pool(options.origin, { ...shared, connect: { ...trusted, timeout: options.connectTimeout } });
}

function dispatchOptions(origin: string, request: WireRequest): Dispatcher.DispatchOptions {
  const { body } = request;
  return {
    origin,
    path: request.path,
    method: request.method,
    headers: body === undefined || body instanceof Uint8Array ? request.headers : withLength(request.headers, body),
    body: body === undefined ? null : body instanceof Uint8Array ? body : body.stream,
    headersTimeout: request.responseTimeout,
    // undici closes the connection after every HEAD unless told otherwise: a guard that Azure does not need.
    reset: false,
  };
}

function withLength(headers: readonly string[], body: StreamBody): string[] {
  return [...headers, 'content-length', String(body.size)];
}

interface Settle {
  readonly resolve: (response: WireResponse) => void;
  readonly reject: (error: WireError) => void;
}

/** One request and its answer, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #settle: Settle;
  readonly #isHead: boolean;
  readonly #onAbort = (): void => this.#abort();
  #controller: Dispatcher.DispatchController | undefined;
  #stopWatching: (() => void) | undefined;
  #body: UndiciBody | undefined;
  #bodyFailure: Error | undefined;

  constructor(request: WireRequest, signal: AbortSignal, settle: Settle) {
    this.#signal = signal;
    this.#settle = settle;
    this.#isHead = request.method === 'HEAD';
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (request.body !== undefined && !(request.body instanceof Uint8Array)) this.#watch(request.body);
  }

  /** A stream that fails by itself; undici also destroys it, with the socket's error, when the connection fails. */
  #watch(body: StreamBody): void {
    this.#stopWatching = finished(body.stream, { writable: false }, (error) => {
      if (error != null && !isSocketFailure(error)) this.#bodyFailure = error;
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const size = this.#isHead ? 0 : Number(headers['content-length'] ?? 0);
    this.#body = new UndiciBody(size, controller);
    this.#settle.resolve({ status, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    if (this.#body !== undefined) this.#body.fail(this.#bodyError(error));
    else this.#settle.reject(new WireError(this.#failureOf(error), this.#controller !== undefined, this.#bodyFailure ?? error));
  }

  /** undici would not even take the request. */
  refuse(error: unknown): void {
    this.#finish();
    this.#settle.reject(new WireError('network', false, error));
  }

  #abort(): void {
    const reason: unknown = this.#signal.reason;
    const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
    if (this.#controller !== undefined) this.#controller.abort(error);
    // Still queued for a connection: undici asks `onRequestStart` later, which aborts then.
    else this.#settle.reject(new WireError('aborted', false, error));
  }

  #finish(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#stopWatching?.();
  }

  #failureOf(error: Error): WireFailure {
    if (this.#bodyFailure !== undefined) return 'body';
    if (this.#signal.aborted) return 'aborted';
    return FAILURES[codeOf(error)] ?? 'network';
  }

  #bodyError(error: Error): StoreError {
    return new StoreError(this.#signal.aborted ? 'aborted' : 'unavailable', { call: 'read', cause: error });
  }
}

const FAILURES: Readonly<Record<string, WireFailure>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'body',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
};

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isSocketFailure(error: Error): boolean {
  return error instanceof errors.UndiciError || 'syscall' in error;
}
