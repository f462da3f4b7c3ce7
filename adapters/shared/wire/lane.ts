import type { LaneHolder } from '../../../src/store/survey.ts';
import { type Mover, WireError } from './transport.ts';

/** A request that wants a place. */
interface Asking {
  /** Whom it is for: requests of one holder share what others leave them. */
  readonly holder: string;
  /** Longest wait, milliseconds. */
  readonly within: number;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly holder: string;
  readonly resolve: (place: LanePlace) => void;
}

/** A mover that is younger has not had the time to show how fast it is. Milliseconds. */
const YOUNG = 1000;

/**
 * A bounded number of places for requests of one kind, shared by all who want one: a holder gets as many as are free,
 * and no more than the others when they are not (docs/decisions/0042-lanes-to-the-backend.md).
 */
export class Lane {
  readonly #places: number;
  readonly #gentle: boolean;
  readonly #taken = new Map<string, Set<LanePlace>>();
  /** By holder, each in order of arrival; the holder whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #inUse = 0;

  /**
   * @param places how many there are
   * @param gentle what is stopped goes on without its place: so it may be anybody's, however young
   */
  constructor(places: number, gentle = false) {
    this.#places = places;
    this.#gentle = gentle;
  }

  get places(): number {
    return this.#places;
  }

  /** All who have a place or wait for one, those with most places first. */
  get holders(): LaneHolder[] {
    return [...new Set([...this.#taken.keys(), ...this.#waiting.keys()])]
      .map((holder) => ({
        holder,
        inUse: this.#taken.get(holder)?.size ?? 0,
        waiting: this.#waiting.get(holder)?.size ?? 0,
      }))
      .sort((a, b) => b.inUse - a.inUse || b.waiting - a.waiting);
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    let waiting = 0;
    for (const { size } of this.#waiting.values()) waiting += size;
    return waiting;
  }

  /**
   * A place that is free, or that a holder of more gives up; else waits for one, in turn with other holders.
   * @throws WireError timeout, aborted
   */
  enter(asking: Asking): LanePlace | Promise<LanePlace> {
    return this.enterNow(asking.holder) ?? this.#wait(asking);
  }

  /** The same, without waiting. */
  enterNow(holder: string): LanePlace | undefined {
    if (this.#inUse >= this.#places) this.#takeBack(holder);
    return this.#inUse < this.#places ? this.#take(holder) : undefined;
  }

  /** For `Place`. */
  left(place: LanePlace): void {
    const own = this.#taken.get(place.holder);
    if (own?.delete(place) !== true) return;
    if (own.size === 0) this.#taken.delete(place.holder);
    this.#inUse -= 1;
    const waiter = this.#next();
    waiter?.resolve(this.#take(waiter.holder));
  }

  #take(holder: string): LanePlace {
    const place = new LanePlace(this, holder);
    const own = this.#taken.get(holder);
    if (own === undefined) this.#taken.set(holder, new Set([place]));
    else own.add(place);
    this.#inUse += 1;
    return place;
  }

  /** Stops the slowest mover of the holder who has most, if that one has more than the newcomer would have then. */
  #takeBack(newcomer: string): void {
    let most: ReadonlySet<LanePlace> | undefined;
    const least = this.#gentle ? 0 : (this.#taken.get(newcomer)?.size ?? 0) + 1;
    for (const places of this.#taken.values()) if (places.size > (most?.size ?? least)) most = places;
    if (most === undefined) return;
    const now = performance.now();
    const rates = [...most].map((place) => ({ place, rate: this.#rate(place, now) }));
    const slowest = rates.reduce((slow, each) => (each.rate < slow.rate ? each : slow));
    if (slowest.rate < Infinity) slowest.place.mover?.stop();
  }

  /** Bytes per second; endless of what is not to be stopped. */
  #rate({ mover, since }: LanePlace, now: number): number {
    const age = now - since;
    if (mover?.mayStop !== true || (!this.#gentle && age < YOUNG)) return Infinity;
    return (mover.moved * 1000) / Math.max(1, age);
  }

  #next(): Waiter | undefined {
    for (const [holder, waiters] of this.#waiting) {
      const [waiter] = waiters;
      if (waiter === undefined) continue;
      waiters.delete(waiter);
      // Behind all other holders.
      this.#waiting.delete(holder);
      if (waiters.size > 0) this.#waiting.set(holder, waiters);
      return waiter;
    }
    return undefined;
  }

  #wait({ holder, within, signal }: Asking): Promise<LanePlace> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiting.get(holder) ?? new Set();
      const done = (): void => {
        clearTimeout(late);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        holder,
        resolve: (place) => {
          done();
          resolve(place);
        },
      };
      const giveUp = (error: WireError): void => {
        done();
        waiters.delete(waiter);
        if (waiters.size === 0 && this.#waiting.get(holder) === waiters) this.#waiting.delete(holder);
        reject(error);
      };
      const onAbort = (): void => giveUp(new WireError('aborted', false, signal.reason));
      const late = setTimeout(
        () => giveUp(new WireError('timeout', false, new Error('no connection came free'))),
        within,
      );
      signal.addEventListener('abort', onAbort, { once: true });
      waiters.add(waiter);
      this.#waiting.set(holder, waiters);
    });
  }
}

/** One place of a lane, until it is left. */
export class LanePlace {
  readonly holder: string;
  readonly #lane: Lane;
  readonly since = performance.now();
  /** Absent: what is under way here is short, and is not stopped. */
  mover: Mover | undefined;

  constructor(lane: Lane, holder: string) {
    this.#lane = lane;
    this.holder = holder;
  }

  /** A second call does nothing. */
  leave(): void {
    this.#lane.left(this);
  }
}
