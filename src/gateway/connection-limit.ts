import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import type { Server } from 'node:http';
import { S3Error } from '../errors/s3-error.ts';
import { answerSocket } from './client-error.ts';
import type { Peers } from './proxy-protocol/peers.ts';

export interface ConnectionBounds {
  /** On all listeners together; 0: any number. */
  readonly total: number;
  /** From one address, or one /64 of IPv6; 0: any number. */
  readonly perAddress: number;
  /** Peers that stand for many clients: no bound of their own. */
  readonly exempt?: (address: string) => boolean;
  /** Whose connections those are that balancers opened. */
  readonly peers?: Peers;
  /** Told of each connection that is refused. */
  readonly refused?: (address: string) => void;
}

/** Time in which a client that was refused may read the answer. */
const GRACE_MS = 250;

/**
 * Counts connections of S3 clients and refuses those beyond a number: with 503 where it can be said in plain text, over
 * TLS by closing. Whoever opens connections in stock takes memory, and with all of them taken nobody else is served.
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

  /** Whether a request came on a connection that was refused: nothing may be done for it. */
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

  /** What it sends meanwhile is read and ignored: a reset would take the answer with it. */
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

/** Whoever has one address of IPv6 has the 2^64 beside it, too. */
function sourceOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
