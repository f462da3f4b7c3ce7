import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';

/** Milliseconds for which connections that go on coming keep requests waiting. */
const MOST_MS = 50;
/**
 * Requests that one turn begins at most: some tens of milliseconds of work. With fewer, more bodies of a crowd wait to
 * be read, and take memory.
 */
const MOST_BEGUN = 256;
/** The end of a turn is waited for only once so many were begun: to wait for each end costs every request. */
const BEGUN_BEFORE_LOOK = MOST_BEGUN / 2;

interface ArrivalsOptions {
  /** Has something called when all sockets that have bytes were looked at. */
  readonly afterTurn?: (call: () => void) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/**
 * Keeps turns of the event loop short, so that none waits for all others.
 *
 * Connections are let in before requests are served. Node accepts one connection of a listener in a turn
 * (https://github.com/libuv/libuv/pull/3696), and a turn that serves requests takes milliseconds: of many clients that
 * connect at the same time the last would wait until the others have been served again and again. While connections
 * come turn by turn, requests wait.
 *
 * One turn begins a bounded number of requests, in the order in which they came. Thousands of connections may have sent
 * theirs at the same time, and all others, the kubelet's probes among them, would wait until the last is under way. A
 * request whose connection closes while it waits is never begun.
 */
export class Arrivals {
  readonly #afterTurn: (call: () => void) => void;
  readonly #now: () => number;
  #waiting: (() => unknown)[] = [];
  /** Requests begun in this turn, and in turns before it whose end was not waited for. */
  #begun = 0;
  /** The end of this turn is waited for. */
  #isTurning = false;
  /** A connection has come in this turn. */
  #arrived = false;
  /** Since when connections have come in each turn. */
  #since: number | undefined;

  constructor({ afterTurn = setImmediate, now = () => performance.now() }: ArrivalsOptions = {}) {
    this.#afterTurn = afterTurn;
    this.#now = now;
  }

  /** To be called before the server listens. */
  watch(server: Pick<EventEmitter, 'prependListener'>): void {
    server.prependListener('connection', () => {
      this.#arrived = true;
      this.#since ??= this.#now();
      this.#awaitTurn();
    });
  }

  /**
   * Serves at once, or in a later turn.
   * @param look sees what can be seen only while the head of the request is parsed
   */
  before(handler: RequestListener, look: (request: IncomingMessage) => void): RequestListener {
    return (request, response) => {
      if (this.#since === undefined && this.#waiting.length === 0 && this.#begun < MOST_BEGUN) {
        this.#begun += 1;
        if (this.#begun === BEGUN_BEFORE_LOOK) this.#awaitTurn();
        handler(request, response);
        return;
      }
      look(request);
      this.#waiting.push(() => response.destroyed || handler(request, response));
    };
  }

  #awaitTurn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    this.#afterTurn(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    this.#isTurning = false;
    this.#begun = 0;
    if (this.#arrived && this.#now() - (this.#since ?? 0) < MOST_MS) {
      this.#arrived = false;
      this.#awaitTurn();
      return;
    }
    this.#arrived = false;
    this.#since = undefined;
    const next = this.#waiting.splice(0, MOST_BEGUN);
    this.#begun = next.length;
    if (next.length > 0) this.#awaitTurn();
    for (const request of next) request();
  };
}

/** Of this process: all listeners share one event loop. */
export const arrivals = new Arrivals();
