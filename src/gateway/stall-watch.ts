import { S3Error } from '../errors/s3-error.ts';
import { Roster } from '../streams/roster.ts';
import type { Exchange } from './exchange.ts';

export interface StallLimits {
  /** Longest silence of a client whose turn it is, milliseconds. */
  readonly idleMs: number;
  /** Bytes per second that a body must come in with, averaged over `rateWindowMs`. */
  readonly minimumRate: number;
  readonly rateWindowMs: number;
}

export const DEFAULT_STALL_LIMITS: StallLimits = { idleMs: 30_000, minimumRate: 256, rateWindowMs: 60_000 };

const TICK_MS = 1000;
/** Milliseconds between telling the work to end and destroying the socket: time to send an answer. */
const GRACE_MS = 2000;

/** How far an exchange had come when the watch last looked at it. */
interface Progress {
  bytesRead: number;
  bytesWritten: number;
  /** The time since which nothing has moved although it was the client's turn. */
  stalledMs: number;
  /** Time in this window that we waited for the client, and what came meanwhile. */
  waitedMs: number;
  received: number;
  /** The exchange was told to end. */
  givenUp: boolean;
}

/**
 * Ends requests of clients that stop in the middle of a body, send it too slowly, or do not read their answer. There is
 * no limit of time for whole requests: 5 GiB over a slow line take hours. One timer looks at all exchanges; time in
 * which the gateway holds a client back does not count.
 */
export class StallWatch {
  readonly #limits: StallLimits;
  /** All exchanges under way. Who begins one adds it, and takes it out when it has ended. */
  readonly underWay = new Roster<Exchange>();
  readonly #progress = new WeakMap<Exchange, Progress>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: StallLimits = DEFAULT_STALL_LIMITS) {
    this.#limits = limits;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const exchange of this.underWay) {
      const progress = this.#progress.get(exchange);
      if (progress === undefined) this.#progress.set(exchange, fresh(exchange));
      else if (!progress.givenUp) this.#look(exchange, progress);
    }
  }

  #look(exchange: Exchange, progress: Progress): void {
    const { socket } = exchange.request;
    const read = socket.bytesRead - progress.bytesRead;
    const written = socket.bytesWritten - progress.bytesWritten;
    progress.bytesRead = socket.bytesRead;
    progress.bytesWritten = socket.bytesWritten;
    const clientsTurn = exchange.awaitsClient || exchange.response.writableLength > 0;
    progress.stalledMs = clientsTurn && read === 0 && written === 0 ? progress.stalledMs + TICK_MS : 0;
    if (exchange.awaitsClient) {
      progress.waitedMs += TICK_MS;
      progress.received += read;
    }
    if (progress.stalledMs >= this.#limits.idleMs || this.#tooSlow(progress)) this.#end(exchange, progress);
  }

  #tooSlow(progress: Progress): boolean {
    if (progress.waitedMs < this.#limits.rateWindowMs) return false;
    const slow = progress.received < (this.#limits.minimumRate * progress.waitedMs) / 1000;
    progress.waitedMs = 0;
    progress.received = 0;
    return slow;
  }

  #end(exchange: Exchange, progress: Progress): void {
    progress.givenUp = true;
    exchange.abort(new S3Error('RequestTimeout'));
    if (exchange.response.headersSent) exchange.response.destroy();
    else setTimeout(() => exchange.request.socket.destroy(), GRACE_MS).unref();
  }
}

function fresh(exchange: Exchange): Progress {
  const { bytesRead, bytesWritten } = exchange.request.socket;
  return { bytesRead, bytesWritten, stalledMs: 0, waitedMs: 0, received: 0, givenUp: false };
}
