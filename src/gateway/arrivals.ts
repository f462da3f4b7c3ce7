import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';

/** Milliseconds for which connections that go on coming keep requests waiting. */
const MOST_MS = 50;

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
 */
export class Arrivals {
  readonly #afterTurn: (call: () => void) => void;
  readonly #now: () => number;
  #waiting: (() => unknown)[] = [];
  /** In this turn. */
  #arrived = false;
  /** Since when connections have come in each turn. */
  #since: number | undefined;

  constructor({ afterTurn = setImmediate, now = () => performance.now() }: ArrivalsOptions = {}) {
    this.#afterTurn = afterTurn;
    this.#now = now;
  }

  /** To be called before the server listens. */
  watch(server: Pick<EventEmitter, 'prependListener'>): void {
    server.prependListener('connection', () => this.#onConnection());
  }

  /**
   * Serves at once, or when no more connections come. Forgets requests whose connection has closed meanwhile.
   * @param look sees what can be seen only while the head of the request is parsed
   */
  before(handler: RequestListener, look: (request: IncomingMessage) => void): RequestListener {
    return (request, response) => {
      if (this.#since === undefined) {
        handler(request, response);
        return;
      }
      look(request);
      this.#waiting.push(() => response.destroyed || handler(request, response));
    };
  }

  #onConnection(): void {
    this.#arrived = true;
    if (this.#since !== undefined) return;
    this.#since = this.#now();
    this.#afterTurn(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    if (this.#arrived && this.#now() - (this.#since ?? 0) < MOST_MS) {
      this.#arrived = false;
      this.#afterTurn(this.#onTurn);
      return;
    }
    this.#arrived = false;
    this.#since = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) request();
  };
}

/** Of this process: all listeners share one event loop. */
export const arrivals = new Arrivals();
