import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections on which no request has come yet. Node does not count them as idle, so a server that closes would wait
 * for clients that opened connections in advance, or that have not finished their TLS handshake.
 */
export class UnusedConnections {
  readonly #sockets = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#sockets.set(peer, socket);
      socket.once('close', () => {
        if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
      });
    });
    // Over TLS requests come on another socket than the one that was accepted; both have the same peer.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.prependListener(event, ({ socket }: { socket: Socket }) => this.#sockets.delete(peerOf(socket)));
    }
  }

  /** Ends them all. */
  destroy(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
