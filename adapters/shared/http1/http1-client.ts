import { createSecureContext } from 'node:tls';
import { ConnectionError } from './connection.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { PoolOptions } from './connection-pool.ts';
import { BackendExchange } from './exchange.ts';
import type { ExchangeFailure, ExchangeOutcome, IncomingResponse, OutgoingRequest } from './exchange.ts';
import { SendWindows } from './send-windows.ts';
import { SlabPool } from './slab.ts';

interface Http1ClientOptions extends Omit<PoolOptions, 'host' | 'port' | 'tls' | 'sessions' | 'slabs' | 'windows'> {
  /** Scheme, host and port: `https://account.blob.core.windows.net`. */
  readonly origin: string;
  /** PEM certificates to trust; the usual ones when absent. */
  readonly ca?: readonly string[];
}

/** Most large read buffers that all bodies of a client share. */
const SLAB_BYTES = 16 * 1024 * 1024;
/** Most bytes of all outgoing bodies of a client that may wait for the kernel. */
const WINDOW_BYTES = 32 * 1024 * 1024;

/** HTTP/1.1 for bodies of known length and answers of any size, over connections that are kept. */
export class Http1Client {
  /** Value of the `Host` header. */
  readonly host: string;
  readonly #pool: ConnectionPool;

  constructor({ ca, ...options }: Http1ClientOptions) {
    const url = new URL(options.origin);
    const secure = url.protocol === 'https:';
    this.host = url.host;
    this.#pool = new ConnectionPool({
      ...options,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      ...(secure && { tls: createSecureContext(ca === undefined ? {} : { ca: [...ca] }) }),
      sessions: { last: undefined },
      slabs: new SlabPool(SLAB_BYTES),
      windows: new SendWindows(WINDOW_BYTES),
    });
  }

  /**
   * Calls `outcome` with the head of the answer, whatever its status, or with the reason why there is none.
   *
   * That a peer has closed a kept connection is no failure: a GET or HEAD is sent once more, on a fresh connection.
   */
  send(request: OutgoingRequest, outcome: ExchangeOutcome): void {
    const mayRepeat = request.method === 'GET' || request.method === 'HEAD';
    this.#begin(request, mayRepeat ? this.#repeating(request, outcome) : outcome, false);
  }

  close(): void {
    this.#pool.close();
  }

  #repeating(request: OutgoingRequest, outcome: ExchangeOutcome): ExchangeOutcome {
    return {
      onResponse: (response: IncomingResponse) => outcome.onResponse(response),
      onFailure: (failure: ExchangeFailure) => {
        if (failure.stale) this.#begin(request, outcome, true);
        else outcome.onFailure(failure);
      },
    };
  }

  #begin(request: OutgoingRequest, outcome: ExchangeOutcome, fresh: boolean): void {
    let connection: Connection;
    try {
      connection = this.#pool.acquire(fresh);
    } catch (error) {
      outcome.onFailure({ error: asConnectionError(error), sent: false, stale: false });
      return;
    }
    new BackendExchange(connection, request, outcome, this.#pool.release);
  }
}

function asConnectionError(error: unknown): ConnectionError {
  return error instanceof ConnectionError ? error : new ConnectionError('network', 'no connection', error);
}
