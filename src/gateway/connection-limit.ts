import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import type { Server } from 'node:http';
import { S3Error } from '../errors/s3-error.ts';
import { answerSocket } from './client-error.ts';
import type { Peers } from './proxy-protocol/peers.ts';

export interface ConnectionBounds {
  /** Most connections on all listeners together; 0: any number. */
  readonly total: number;
  /** Most connections from one address, or from one /64 of IPv6; 0: any number. */
  readonly perAddress: number;
  /** Says which peers stand for many clients, as proxies do. For them the bound of one address does not apply. */
  readonly exempt?: (address: string) => boolean;
  /** Knows the client behind a connection that a balancer opened. */
  readonly peers?: Peers;
  /** Called for each connection that is refused. */
  readonly refused?: (address: string) => void;
}

/** Time in which a client that was refused may read the answer. */
const GRACE_MS = 250;

/**
 * Counts connections of S3 clients and refuses those beyond a number: on plain HTTP with a 503, on TLS by closing the
 * connection. Without a bound, one client could open so many connections that the process runs out of memory, or that
 * no other client gets one.
 */
export class ConnectionLimit {
  readonly #bounds: ConnectionBounds;
  readonly #byAddress = new Map<string, number>();
  readonly #turnedAway = new WeakSet<Socket>();
  #total = 0;

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  /** Connections that were let in and are open. */
  get open(): number {
    return this.#total;
  }

  /**
   * Watches a server; to be called before it listens.
   * @param plain the client can read an answer that is not encrypted
   */
  guard(server: Server, plain: boolean): void {
    server.prependListener('connection', (socket: Socket) => this.#arrived(socket, plain));
  }

  /** Whether a request came on a connection that was refused. The gateway does no work for such a request. */
  isTurnedAway(socket: Socket): boolean {
    return this.#turnedAway.has(socket);
  }

  #arrived(socket: Socket, plain: boolean): void {
    const { total, perAddress, exempt, refused, peers } = this.#bounds;
    const address = peers?.addressOf(socket) ?? socket.remoteAddress ?? '';
    const source = exempt?.(address) === true ? undefined : sourceOf(address);
    const own = source === undefined ? 0 : (this.#byAddress.get(source) ?? 0);
    if ((total > 0 && this.#total >= total) || (perAddress > 0 && own >= perAddress)) {
      this.#turnAway(socket, plain);
      refused?.(address);
      return;
    }
    this.#total += 1;
    if (source !== undefined) this.#byAddress.set(source, own + 1);
    socket.once('close', () => this.#left(source));
  }

  #left(source: string | undefined): void {
    this.#total -= 1;
    if (source === undefined) return;
    const left = (this.#byAddress.get(source) ?? 1) - 1;
    if (left <= 0) this.#byAddress.delete(source);
    else this.#byAddress.set(source, left);
  }

  /** Reads and ignores what the client sends meanwhile: a reset of the connection would take the answer with it. */
  #turnAway(socket: Socket, plain: boolean): void {
    this.#turnedAway.add(socket);
    socket.on('error', () => socket.destroy());
    if (!plain) {
      socket.destroy();
      return;
    }
    answerSocket(socket, new S3Error('SlowDown', { message: 'Too many connections.' }));
    setTimeout(() => socket.destroy(), GRACE_MS).unref();
  }
}

/**
 * The source that a connection counts for. A client that has one IPv6 address usually has all 2^64 of its network, so
 * these count as one.
 */
function sourceOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
