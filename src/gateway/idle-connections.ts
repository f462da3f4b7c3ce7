import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** In place of a number of bytes, while a request is under way. */
const BUSY = -1;

/**
 * The connections that no request is under way on, for a server that closes: those between two requests, and those on
 * which none has come yet. Node does not count the latter as idle, so a server that closes would wait for clients that
 * opened connections in advance, or that have not finished their TLS handshake. A connection between two requests is
 * idle to Node's own `closeIdleConnections` as soon as its answer has been written, even if the kernel has not taken
 * all of it: a client that reads slowly would lose the end of its object. Here an answer is under way until its last
 * byte was handed over.
 */
export class IdleConnections {
  /**
   * Connections that have been used, each with the bytes that had come by the end of its last answer. If more bytes
   * have come since, the next request has begun. They stay here while they are busy: a table from which things are
   * removed as often as they are added costs more than its entries (`Roster`).
   */
  readonly #used = new Map<Socket, number>();
  /**
   * Unused ones, by their other ends: over TLS requests come on another socket than the one that was accepted, and both
   * have the same.
   */
  readonly #unused = new Map<string, Socket>();

  /** @param goOn called with the connection of an answer that is over; true: a request that waited is served now */
  constructor(server: Server, goOn: (socket: Socket) => boolean = () => false) {
    const [used, unused] = [this.#used, this.#unused];
    /** One listener for all answers. */
    function onClose(this: ServerResponse): void {
      const { socket } = this.req;
      if (socket.destroyed) return;
      if (!used.has(socket)) socket.once('close', () => used.delete(socket));
      used.set(socket, goOn(socket) ? BUSY : socket.bytesRead);
    }
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
        if (used.has(request.socket)) used.set(request.socket, BUSY);
        if (unused.size > 0) unused.delete(peerOf(request.socket));
        response.on('close', onClose);
      });
    }
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      unused.set(peer, socket);
      socket.once('close', () => {
        if (unused.get(peer) === socket) unused.delete(peer);
      });
    });
    // `server.close()` calls it as well.
    server.closeIdleConnections = () => this.destroy();
  }

  /** Ends all that are between two requests. */
  destroy(): void {
    for (const [socket, read] of this.#used) if (socket.bytesRead === read) socket.destroy();
  }

  /** Ends all on which no request has come. */
  destroyUnused(): void {
    for (const socket of this.#unused.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
