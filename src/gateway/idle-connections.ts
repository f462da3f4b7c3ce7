import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections between two requests, for a server that closes. Node's own `closeIdleConnections` takes a connection for
 * idle once its answer has been written, also while the kernel has not taken all of it: a client that reads slowly
 * would lose the end of its object. Here an answer is under way until the last byte was handed over.
 */
export class IdleConnections {
  /** With the bytes that had come by the end of the last answer: more of them are the next request. */
  readonly #idle = new Map<Socket, number>();
  /** Whose end is listened for. */
  readonly #known = new WeakSet<Socket>();

  constructor(server: Server) {
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.prependListener(event, (request: IncomingMessage, response: ServerResponse) =>
        this.#follow(request.socket, response),
      );
    }
    // `server.close()` calls it as well.
    server.closeIdleConnections = () => this.destroy();
  }

  /** Ends them all. */
  destroy(): void {
    for (const [socket, read] of this.#idle) if (socket.bytesRead === read) socket.destroy();
  }

  #follow(socket: Socket, response: ServerResponse): void {
    this.#idle.delete(socket);
    response.once('close', () => {
      if (socket.destroyed) return;
      this.#idle.set(socket, socket.bytesRead);
      if (!this.#known.has(socket)) socket.once('close', () => this.#idle.delete(socket));
      this.#known.add(socket);
    });
  }
}
