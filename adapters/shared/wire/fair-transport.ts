import type { ConnectionLane } from '../../../src/store/survey.ts';
import { LeanTransport } from './lean-transport.ts';
import { Lane, type LanePlace } from './lane.ts';
import type { Hold, Mover, Transport, WireRequest, WireResponse } from './transport.ts';
import { UndiciTransport } from './undici-transport.ts';
import type { UndiciTransportOptions } from './undici-transport.ts';

/** Pieces for slow clients that are under way at a time: too few for other requests to notice. */
const MOST_PIECES = 64;

/** Holders of a lane that are told to whoever asks for its state. */
const SHOWN_HOLDERS = 5;

export interface FairTransportOptions extends Omit<UndiciTransportOptions, 'maxConnections'> {
  /** Calls under way at a time, but for large bodies. */
  readonly maxConnections: number;
  /** Large bodies under way at a time, each way. */
  readonly maxTransfers: number;
}

/**
 * Shares the connections to a service in lanes, so that a small request never waits for a large body: calls, answers
 * with a large body, requests that send one, and pieces of answers for slow clients
 * (docs/decisions/0042-lanes-to-the-backend.md).
 *
 * An answer is a call until it shows that it is large. A body that is sent may wait for another call, for example for
 * the look whether its bucket still exists: in one lane, bodies that hold all of it would wait for ever.
 */
export class FairTransport implements Transport {
  readonly #inner: Transport;
  readonly #calls: Lane;
  readonly #downloads: Lane;
  readonly #uploads: Lane;
  readonly #pieces = new Lane(MOST_PIECES);

  constructor(options: FairTransportOptions) {
    const { maxConnections, maxTransfers } = options;
    this.#calls = new Lane(maxConnections);
    // A large body goes on in pieces when its place is taken back (`patientRead`).
    this.#downloads = new Lane(maxTransfers, true);
    this.#uploads = new Lane(maxTransfers);
    // Through a proxy, connections are left to undici, which counts them once more.
    this.#inner =
      options.proxy === undefined
        ? new LeanTransport({ ...options, maxIdle: maxConnections })
        : new UndiciTransport({ ...options, maxConnections: maxConnections + 2 * maxTransfers + MOST_PIECES });
  }

  lanes(): readonly ConnectionLane[] {
    const lanes = [
      ['calls', this.#calls],
      ['downloads', this.#downloads],
      ['uploads', this.#uploads],
      ['pieces', this.#pieces],
    ] as const;
    return lanes.map(([lane, { places, inUse, waiting, holders }]) => ({
      lane,
      places,
      inUse,
      waiting,
      holders: holders.slice(0, SHOWN_HOLDERS),
    }));
  }

  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const asking = { holder: request.holder ?? '', within: request.responseTimeout, signal };
    const place = this.#laneOf(request).enter(asking);
    return place instanceof Promise ? this.#sendLater(place, request, signal) : this.#sendIn(place, request, signal);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #laneOf({ body, reading }: WireRequest): Lane {
    if (reading === 'piece') return this.#pieces;
    return body === undefined || body instanceof Uint8Array ? this.#calls : this.#uploads;
  }

  async #sendLater(entering: Promise<LanePlace>, request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const began = performance.now();
    let place: LanePlace;
    try {
      place = await entering;
    } catch (error) {
      const { body } = request;
      // As of a request that was sent and failed: nobody else ends the stream.
      if (body !== undefined && !(body instanceof Uint8Array)) body.stream.destroy();
      throw error;
    }
    const responseTimeout = Math.max(1, request.responseTimeout - (performance.now() - began));
    return this.#sendIn(place, { ...request, responseTimeout }, signal);
  }

  #sendIn(place: LanePlace, request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const downloads = request.reading === 'stream' ? this.#downloads : undefined;
    return this.#inner.send(request, signal, new LaneHold(place, downloads));
  }
}

/** What one request holds of the lanes. */
class LaneHold implements Hold {
  #place: LanePlace;
  readonly #downloads: Lane | undefined;

  /** @param downloads absent: whatever comes stays where it is */
  constructor(place: LanePlace, downloads: Lane | undefined) {
    this.#place = place;
    this.#downloads = downloads;
  }

  uploads(mover: Mover): void {
    this.#place.mover = mover;
  }

  /** The new place is taken before the old one is left. */
  downloads(mover: Mover): boolean {
    if (this.#downloads === undefined) return true;
    const place = this.#downloads.enterNow(this.#place.holder);
    if (place === undefined) return false;
    place.mover = mover;
    this.#place.leave();
    this.#place = place;
    return true;
  }

  release(): void {
    this.#place.leave();
  }
}

/** Connections through a proxy are left to undici. */
export function createTransport(options: FairTransportOptions): FairTransport {
  return new FairTransport(options);
}
