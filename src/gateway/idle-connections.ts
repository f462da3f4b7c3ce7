import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
   * Idle connections, each with the bytes that had come by the end of its last answer. If more bytes have come since,
   * the next request has begun.
   */
  readonly #idle = new Map<Socket, number>();
  /**
   * Unused ones, by their other ends: over TLS requests come on another socket than the one that was accepted, and both
   * have the same.
   */
  readonly #unused = new Map<string, Socket>();

  constructor(server: Server) {
    const [idle, unused] = [this.#idle, this.#unused];
    /** Connections for whose end a listener is in place. */
    const known = new WeakSet<Socket>();
    /** One listener for all answers. */
    function onClose(this: ServerResponse): void {
      const { socket } = this.req;
      if (socket.destroyed) return;
      idle.set(socket, socket.bytesRead);
      if (known.has(socket)) return;
      known.add(socket);
      socket.once('close', () => idle.delete(socket));
    }
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
        idle.delete(request.socket);
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
    for (const [socket, read] of this.#idle) if (socket.bytesRead === read) socket.destroy();
  }

  /** Ends all on which no request has come. */
  destroyUnused(): void {
    for (const socket of this.#unused.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
