import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections that are between two requests, for a server that closes. Node's own `closeIdleConnections` considers
 * a connection idle as soon as its answer has been written, even if the kernel has not taken all of it: a client that
 * reads slowly would lose the end of its object. Here an answer is under way until its last byte was handed over.
 */
export class IdleConnections {
  /**
   * Idle connections, each with the bytes that had come by the end of its last answer. If more bytes have come since,
   * the next request has begun.
   */
  readonly #idle = new Map<Socket, number>();
  /** Connections for whose end a listener is in place. */
  readonly #known = new WeakSet<Socket>();
  /** One listener for all answers. */
  readonly #onClose: (this: ServerResponse) => void;

  constructor(server: Server) {
    const closed = (response: ServerResponse): void => this.#closed(response);
    this.#onClose = function onClose(this: ServerResponse) {
      closed(this);
    };
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
    response.on('close', this.#onClose);
  }

  #closed({ req: { socket } }: ServerResponse): void {
    if (socket.destroyed) return;
    this.#idle.set(socket, socket.bytesRead);
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    socket.once('close', () => this.#idle.delete(socket));
  }
}
