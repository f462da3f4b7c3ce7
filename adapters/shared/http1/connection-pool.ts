import { Connection, ConnectionError } from './connection.ts';
import type { SocketOptions } from './connection.ts';

export interface PoolOptions extends SocketOptions {
  /** Unused connections that are kept. */
  readonly maxIdle: number;
  /** Milliseconds after which an unused connection is closed. */
  readonly keepAlive: number;
}

/**
 * Keep-alive connections to one origin. The one used last is used next, so that a quiet time thins them out. How many
 * there may be is said elsewhere (`Lane`).
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #sweeper: NodeJS.Timeout;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(1, options.keepAlive / 2)).unref();
  }

  /**
   * A connection that is free, or a new one; the caller uses it now or gives it back.
   * @param fresh one that has served no request yet
   * @throws ConnectionError aborted
   */
  acquire(fresh: boolean): Connection {
    if (this.#closed) throw new ConnectionError('aborted', 'closed');
    const idle = this.#takeIdle();
    if (idle !== undefined && !fresh) return idle;
    // The peer has just closed a kept connection, so this one is doubtful, too. A fresh one takes its place.
    idle?.fail(new ConnectionError('network', 'replaced by a fresh one'));
    return this.#open();
  }

  readonly release = (connection: Connection): void => {
    if (connection.closed) return;
    if (this.#idle.length < this.#options.maxIdle) this.#idle.push(connection);
    else connection.fail(new ConnectionError('network', 'enough are kept'));
  };

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    const error = new ConnectionError('aborted', 'closed');
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
  }

  #sweep(): void {
    for (const connection of [...this.#idle]) {
      if (!this.#isFit(connection)) connection.fail(new ConnectionError('network', 'idle for too long'));
    }
  }
}
