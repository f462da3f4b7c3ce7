import { Connection, ConnectionError, abortedError } from './connection.ts';
import type { ConnectionOptions } from './connection.ts';

export interface PoolOptions extends ConnectionOptions {
  readonly maxConnections: number;
  /** Milliseconds after which an unused connection is closed. */
  readonly keepAlive: number;
}

/** A request that waits for a connection. Times are milliseconds of `performance.now()`. */
interface Waiting {
  readonly signal: AbortSignal;
  readonly began: number;
  readonly responseTimeout: number;
}

interface Waiter {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: ConnectionError) => void;
}

/** Keep-alive connections to one origin. The one used last is used next, so that a quiet time thins them out. */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();
  readonly #sweeper: NodeJS.Timeout;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(1, options.keepAlive / 2)).unref();
  }

  /**
   * Takes a connection, which the caller uses now or gives back. Resolves at once if one is free or one more is
   * allowed.
   * @param fresh one that has served nobody yet, if possible
   * @throws ConnectionError aborted; timeout when none comes free in time
   */
  acquire(request: Waiting, fresh: boolean): Connection | Promise<Connection> {
    if (this.#closed) throw new ConnectionError('aborted', 'closed');
    const idle = this.#takeIdle();
    if (idle !== undefined && !fresh) return idle;
    // The peer has just closed a kept connection, so this one is doubtful, too. A fresh one takes its place.
    idle?.fail(new ConnectionError('network', 'replaced by a fresh one'));
    return this.#all.size < this.#options.maxConnections ? this.#open() : this.#wait(request);
  }

  readonly release = (connection: Connection): void => {
    if (connection.closed) return;
    const [waiter] = this.#waiters;
    if (waiter === undefined) {
      this.#idle.push(connection);
      return;
    }
    this.#waiters.delete(waiter);
    waiter.resolve(connection);
  };

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    const error = new ConnectionError('aborted', 'closed');
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
    for (const connection of this.#all) connection.fail(error);
  }

  #takeIdle(): Connection | undefined {
    for (let found = this.#idle.pop(); found !== undefined; found = this.#idle.pop()) {
      if (this.#isFit(found)) return found;
      found.fail(new ConnectionError('network', 'idle for too long'));
    }
    return undefined;
  }

  #isFit(connection: Connection): boolean {
    return (
      !connection.closed &&
      performance.now() - connection.idleSince < Math.min(this.#options.keepAlive, connection.peerKeepAlive)
    );
  }

  #open(): Connection {
    const connection = new Connection(this.#options);
    this.#all.add(connection);
    connection.onClosed = () => this.#gone(connection);
    return connection;
  }

  #gone(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    const [waiter] = this.#waiters;
    if (waiter === undefined || this.#closed) return;
    this.#waiters.delete(waiter);
    waiter.resolve(this.#open());
  }

  #wait({ signal, began, responseTimeout }: Waiting): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(late);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        resolve: (connection) => {
          done();
          resolve(connection);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      const giveUp = (error: ConnectionError): void => {
        this.#waiters.delete(waiter);
        waiter.reject(error);
      };
      const onAbort = (): void => giveUp(abortedError(signal));
      const late = setTimeout(
        () => giveUp(new ConnectionError('timeout', 'no connection came free')),
        Math.max(1, began + responseTimeout - performance.now()),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #sweep(): void {
    for (const connection of [...this.#idle]) {
      if (!this.#isFit(connection)) connection.fail(new ConnectionError('network', 'idle for too long'));
    }
  }
}
