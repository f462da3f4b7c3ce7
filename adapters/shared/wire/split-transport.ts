import { LeanTransport } from './lean-transport.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';
import { UndiciTransport } from './undici-transport.ts';
import type { UndiciTransportOptions } from './undici-transport.ts';

/**
 * Keeps connections for streamed bodies apart from those for everything else, each up to `maxConnections`. A body that
 * is being sent may wait for another call, for example for the look whether its bucket still exists. If both shared
 * their connections and bodies held all of them, every body would wait for ever.
 */
class SplitTransport implements Transport {
  readonly #streams: LeanTransport;
  readonly #rest: LeanTransport;

  constructor(options: UndiciTransportOptions) {
    this.#streams = new LeanTransport(options);
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

/** Connections through a proxy are left to undici. */
export function createTransport(options: UndiciTransportOptions): Transport {
  return options.proxy === undefined ? new SplitTransport(options) : new UndiciTransport(options);
}
