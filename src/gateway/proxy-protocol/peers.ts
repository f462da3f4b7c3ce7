import type { Socket } from 'node:net';

/**
 * Whose connection it is: the address that a balancer named before its first byte, else the other end's. Over TLS,
 * requests come on another socket than the one that was accepted; both have the same ends, by which they are known
 * here.
 */
export class Peers {
  readonly #named = new Map<string, string>();

  /** Until the connection ends. */
  name(socket: Socket, address: string): void {
    const ends = endsOf(socket);
    this.#named.set(ends, address);
    socket.once('close', () => this.#named.delete(ends));
  }

  /** Empty once the connection has ended. */
  addressOf(socket: Socket): string {
    const own = socket.remoteAddress ?? '';
    return this.#named.size === 0 ? own : (this.#named.get(endsOf(socket)) ?? own);
  }
}

/** Names a connection by its two ends. */
export function endsOf({ remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)} ${localAddress} ${String(localPort)}`;
}
