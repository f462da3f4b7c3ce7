import { LeanTransport } from './lean-transport.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';
import { UndiciTransport } from './undici-transport.ts';
import type { UndiciTransportOptions } from './undici-transport.ts';

/**
 * Sends each request over the client that moves its kind of body best: streams over undici, all that is
 * in memory, or has no body, over the lean one, whose answers cost half (docs/decisions/0006-byte-path.md).
 *
 * Each keeps connections of its own, up to `maxConnections`.
 */
class SplitTransport implements Transport {
  readonly #streams: UndiciTransport;
  readonly #rest: LeanTransport;

  constructor(options: UndiciTransportOptions) {
    this.#streams = new UndiciTransport(options);
    this.#rest = new LeanTransport(options);
  }

  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const { body } = request;
    const inMemory = body === undefined || body instanceof Uint8Array;
    return inMemory ? this.#rest.send(request, signal) : this.#streams.send(request, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#streams.close(), this.#rest.close()]);
  }
}

/** A proxy in between is undici's to deal with. */
export function createTransport(options: UndiciTransportOptions): Transport {
  return options.proxy === undefined ? new SplitTransport(options) : new UndiciTransport(options);
}
