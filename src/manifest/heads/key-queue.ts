import type { Call } from '../../observe/call.ts';
import { StoreError } from '../../store/store-error.ts';
import type { KeyTurns, KeyTurn } from '../records/key-turns.ts';
import { SYSTEM_TIME, type Time } from '../records/time.ts';

export interface KeyQueueOptions {
  /** Milliseconds that one request may wait altogether, here and for turns on names that the service throttles. */
  readonly wait: number;
  /** Milliseconds in front after which the next one is let past. */
  readonly patience: number;
  /** Requests that wait for one key at most. */
  readonly length: number;
  readonly time: Time;
}

const DEFAULTS: KeyQueueOptions = { wait: 8_000, patience: 3_000, length: 1_000, time: SYSTEM_TIME };

/** The requests for one key: one in front, the others in the order in which they came. */
interface Line {
  front: KeyTurn;
  /** Monotonic milliseconds since when it is. */
  since: number;
  /** Milliseconds that the one before it was in front. */
  pace: number;
  readonly waiting: Set<(place: KeyTurn) => void>;
  /** Stops the watch over the one in front. */
  patience: (() => void) | undefined;
}

/**
 * Lets the requests of this process that change one key go one after the other, so that none reads a head that is about
 * to be replaced, and each change is prepared once. Where one name takes one write a second, all but the first would
 * otherwise wait for their turn with a condition that has failed by then.
 *
 * The queue is advice and not a lock: a change that takes long is overtaken, other processes are not asked, and the
 * commit protocol relies on conditional writes alone. Without the queue everything would be just as correct, but
 * slower.
 */
export class KeyQueue implements KeyTurns {
  readonly #options: KeyQueueOptions;
  readonly #lines = new Map<string, Line>();

  constructor(options: Partial<KeyQueueOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Keys that are being changed. */
  get size(): number {
    return this.#lines.size;
  }

  enter(key: string, call: Call): KeyTurn | Promise<KeyTurn> {
    const line = this.#lines.get(key);
    if (line !== undefined) return this.#wait(line, call);
    const front = { key, waited: false };
    this.#lines.set(key, {
      front,
      since: this.#options.time.monotonic(),
      pace: 0,
      waiting: new Set(),
      patience: undefined,
    });
    return front;
  }

  #wait(line: Line, call: Call): Promise<KeyTurn> {
    const { signal, facts } = call;
    const left = this.#options.wait - facts.waitedMs;
    if (left <= 0 || line.waiting.size >= this.#options.length) return Promise.reject(tooMany(line));
    if (signal.aborted) return Promise.reject(new StoreError('aborted', { cause: signal.reason }));
    const began = this.#options.time.monotonic();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        line.waiting.delete(admit);
        stopTimer();
        signal.removeEventListener('abort', onAbort);
        facts.waitedMs += this.#options.time.monotonic() - began;
      };
      const admit = (place: KeyTurn): void => {
        stop();
        resolve(place);
      };
      const giveUp = (error: StoreError): void => {
        stop();
        reject(error);
      };
      const onAbort = (): void => giveUp(new StoreError('aborted', { cause: signal.reason }));
      const stopTimer = this.#options.time.after(left, () => giveUp(tooMany(line)));
      signal.addEventListener('abort', onAbort, { once: true });
      line.waiting.add(admit);
      this.#watch(line);
    });
  }

  leave(place: KeyTurn): void {
    const { key } = place;
    const line = this.#lines.get(key);
    if (line?.front !== place) return;
    line.patience?.();
    line.patience = undefined;
    const now = this.#options.time.monotonic();
    const [next] = line.waiting;
    if (next === undefined) {
      this.#lines.delete(key);
      return;
    }
    line.pace = now - line.since;
    line.since = now;
    line.front = { key, waited: true };
    next(line.front);
    this.#watch(line);
  }

  #watch(line: Line): void {
    if (line.waiting.size === 0 || line.patience !== undefined) return;
    const { front, since } = line;
    const left = since + this.#options.patience - this.#options.time.monotonic();
    // Less than nothing is left when the process stood still.
    line.patience = this.#options.time.after(Math.max(0, left), () => this.leave(front));
  }
}

/** Tells the client when to come back: after all who wait now, at the pace of the last change. */
function tooMany({ pace, waiting }: Line): StoreError {
  return new StoreError('throttled', {
    call: 'write',
    code: 'KeyTooBusy',
    retryAfter: Math.max(1, Math.ceil((pace * waiting.size) / 1000)),
  });
}
