import { getCACertificates } from 'node:tls';
import { Http1Client } from '../http1/http1-client.ts';
import type { ExchangeFailure } from '../http1/exchange.ts';
import { ExactBody } from './exact-body.ts';
import { WireError } from './transport.ts';
import type { Hold, Transport, WireRequest, WireResponse } from './transport.ts';
import type { UndiciTransportOptions } from './undici-transport.ts';

export interface LeanTransportOptions extends Omit<UndiciTransportOptions, 'proxy' | 'maxConnections'> {
  /** Connections that are kept while they are not used. */
  readonly maxIdle: number;
}

/** Transport over the project's own HTTP/1.1 client. */
export class LeanTransport implements Transport {
  readonly #client: Http1Client;
  readonly #hostLine: string;

  constructor({ ca, ...options }: LeanTransportOptions) {
    this.#client = new Http1Client({
      ...options,
      ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
    });
    this.#hostLine = ` HTTP/1.1\r\nhost: ${this.#client.host}\r\n`;
  }

  send(request: WireRequest, signal: AbortSignal, hold?: Hold): Promise<WireResponse> {
    const { method, responseTimeout } = request;
    if (signal.aborted) {
      hold?.release();
      return Promise.reject(new WireError('aborted', false, signal.reason));
    }
    const body = outgoingBody(request);
    let head: string;
    try {
      head = headOf(request, this.#hostLine, body instanceof ExactBody ? body.size : body?.length);
    } catch (error) {
      if (body instanceof ExactBody) body.destroy();
      hold?.release();
      return Promise.reject(new WireError('malformed', false, error));
    }
    return new Promise((resolve, reject) => {
      const outgoing = { method, head, body, responseTimeout, began: performance.now(), signal, hold };
      const onFailure = (failure: ExchangeFailure): void => {
        hold?.release();
        reject(wireError(failure));
        if (body instanceof ExactBody) body.destroy();
      };
      this.#client.send(outgoing, { onResponse: resolve, onFailure });
    });
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

const TARGET = /^\/[\x21-\x7e]*$/;
// oxlint-disable-next-line no-control-regex -- exactly the characters that would end or break a header
const UNFIT = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/;

function headOf({ method, path, headers }: WireRequest, hostLine: string, size: number | undefined): string {
  if (!TARGET.test(path)) throw new Error('request target');
  let head = method + ' ' + path + hostLine;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const value = headers[i + 1] ?? '';
    if (UNFIT.test(value)) throw new Error(`value of header ${headers[i] ?? ''}`);
    head += `${headers[i] ?? ''}: ${value}\r\n`;
  }
  if (size !== undefined || method === 'PUT' || method === 'POST') head += `content-length: ${size ?? 0}\r\n`;
  return head + '\r\n';
}

function outgoingBody({ body, frame }: WireRequest): Uint8Array | ExactBody | undefined {
  return body === undefined || body instanceof Uint8Array ? body : new ExactBody(body, frame);
}

function wireError({ error, sent }: ExchangeFailure): WireError {
  return new WireError(error.failure, sent, error.failure === 'body' ? error.cause : error);
}
