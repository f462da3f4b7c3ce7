import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';

/** Milliseconds for which connections that go on coming keep requests waiting. */
const MOST_MS = 50;
/** Requests that a turn of the event loop begins at most. */
const MOST_BEGUN = 32;
/** Of requests that wait, or have waited: `performance.now()` when they came. */
const cameAt = new WeakMap<IncomingMessage, number>();

interface ArrivalsOptions {
  /** Has something called when all sockets that have bytes were looked at. */
  readonly afterTurn?: (call: () => void) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/**
 * Lets connections in before requests are served. Node accepts one connection of a listener in a turn of the event loop
 * (https://github.com/libuv/libuv/pull/3696), and a turn that serves requests takes milliseconds: of many clients that
 * connect at the same time the last would wait until the others have been served again and again. While connections
 * come turn by turn, requests wait, so that turns are short, and are then served in the order in which they came.
 *
 * A turn begins a few requests only, and the others wait in that order. Of 256 requests that one turn began, each
 * waited for all of them twice, for their beginning and for their end, and all that they need was alive at a time.
 */
export class Arrivals {
  readonly #afterTurn: (call: () => void) => void;
  readonly #now: () => number;
  #waiting: (() => unknown)[] = [];
  /** In this turn: requests. */
  #begun = 0;
  /** In this turn: connections. */
  #arrived = false;
  #awaitsEnd = false;
  /** Since when connections have come in each turn. */
  #since: number | undefined;
  /** How many of those that wait have waited for connections: they begin before connections are waited for again. */
  #owed = 0;

  constructor({ afterTurn = setImmediate, now = () => performance.now() }: ArrivalsOptions = {}) {
    this.#afterTurn = afterTurn;
    this.#now = now;
  }

  /** To be called before the server listens. */
  watch(server: Pick<EventEmitter, 'prependListener'>): void {
    server.prependListener('connection', () => this.#onConnection());
  }

  /**
   * Serves at once, or when no more connections come and the requests before it have begun. Forgets requests whose
   * connection has closed meanwhile.
   * @param look sees what can be seen only while the head of the request is parsed
   */
  before(handler: RequestListener, look: (request: IncomingMessage) => void): RequestListener {
    return (request, response) => {
      this.#awaitEnd();
      // Where any wait, this turn has begun as many as it may.
      if (this.#since === undefined && this.#begun < MOST_BEGUN) {
        this.#begun += 1;
        handler(request, response);
        return;
      }
      look(request);
      cameAt.set(request, this.#now());
      this.#waiting.push(() => response.destroyed || handler(request, response));
    };
  }

  #onConnection(): void {
    this.#arrived = true;
    // Connections without end must not keep requests waiting again and again.
    if (this.#owed === 0) this.#since ??= this.#now();
    this.#awaitEnd();
  }

  #awaitEnd(): void {
    if (this.#awaitsEnd) return;
    this.#awaitsEnd = true;
    this.#afterTurn(this.#onEnd);
  }

  readonly #onEnd = (): void => {
    this.#awaitsEnd = false;
    const moreMayCome = this.#arrived && this.#since !== undefined && this.#now() - this.#since < MOST_MS;
    this.#arrived = false;
    if (moreMayCome) this.#awaitEnd();
    else this.#beginNext();
  };

  #beginNext(): void {
    if (this.#since !== undefined) this.#owed = this.#waiting.length;
    this.#since = undefined;
    const next = this.#waiting.splice(0, MOST_BEGUN);
    this.#owed = Math.max(0, this.#owed - next.length);
    for (const request of next) request();
    // They are part of the turn that comes: what it reads stands behind them.
    this.#begun = next.length;
    if (next.length > 0) this.#awaitEnd();
  }
}

/** Milliseconds for which a request has waited, to be asked when it is served. */
export function waitBefore(request: IncomingMessage): number {
  const since = cameAt.get(request);
  return since === undefined ? 0 : performance.now() - since;
}

/** Of this process: all listeners share one event loop. */
export const arrivals = new Arrivals();
