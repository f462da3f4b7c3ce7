import { keepNewestName } from '../../observe/bounded-map.ts';

/** Requests under way of which a reader may have been told. */
const MOST_FOLLOWED = 10_000;
const SECOND_MS = 1000;

/** What decides whether a reader is told of a request. */
interface StreamedRequest {
  readonly id: string;
  /** It has failed, or was slow. */
  readonly isNotable: boolean;
}

/**
 * How many requests a second one reader of the stream is told of. More than a person, or a browser, can take in are
 * left out, and counted. The beginning and the end of a request go together, unless it is notable: those that failed or
 * were slow have as much room again, so that ordinary ones cannot push them out.
 */
export class StreamRate {
  readonly #ordinary: Room;
  readonly #notable: Room;
  readonly #followed = new Set<string>();
  #leftOut = 0;

  /** @param perSecond requests of either kind @param now milliseconds that never go back */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#ordinary = new Room(perSecond, now);
    this.#notable = new Room(perSecond, now);
  }

  /** Whether the reader is told that a request has begun. */
  begins({ id }: StreamedRequest): boolean {
    if (!this.#ordinary.take()) return false;
    keepNewestName(this.#followed, id, MOST_FOLLOWED);
    return true;
  }

  /** Whether the reader is told that it has ended. */
  ends({ id, isNotable }: StreamedRequest): boolean {
    if (this.#followed.delete(id)) return true;
    if (isNotable ? this.#notable.take() : this.#ordinary.take()) return true;
    this.#leftOut += 1;
    return false;
  }

  /** How many requests were left out since it was asked last. */
  takeLeftOut(): number {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut;
  }
}

/** Fills up steadily, and holds what comes in a second. */
class Room {
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = perSecond;
    this.#at = now();
  }

  take(): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / SECOND_MS) * this.#perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
