import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { seeLine } from './head-bounds.ts';

/** Requests that may wait on one connection. Clients that pipeline at all send a handful. */
const MOST_WAITING = 100;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handler: RequestListener;
}

/**
 * Serves the requests of a connection one after the other. Node hands out a request as soon as its head has come, also
 * while an earlier one of the same connection is served (pipelining). RFC 9112 9.3.2 allows a server to do them side by
 * side only if all of them are safe: otherwise a GET behind a PUT may read what was there before. And what comes behind
 * an answer that ends the connection must not be done, because its client would never hear of it.
 */
export class PipelinedRequests {
  readonly #waiting = new WeakMap<Socket, Waiting[]>();
  /** By the socket that carries HTTP. */
  readonly #last = new WeakMap<Duplex, ServerResponse>();

  inTurn(handler: RequestListener): RequestListener {
    return (request, response) => {
      this.#last.set(request.socket, response);
      // Node gives an answer its socket when those before it on the connection are over.
      if (response.socket === null) this.#hold({ request, response, handler });
      else handler(request, response);
    };
  }

  /** The answer to the last request of a connection, served or waiting. Undefined: none has come. */
  lastOn(socket: Duplex): ServerResponse | undefined {
    return this.#last.get(socket);
  }

  /**
   * To be called when an answer is over.
   * @returns whether another request of the connection is served now
   */
  readonly goOn = (socket: Socket): boolean => {
    const next = this.#waiting.get(socket)?.shift();
    if (next === undefined) return false;
    const { request, response, handler } = next;
    if (response.socket === null) {
      // The answer before it ends the connection.
      this.#waiting.delete(socket);
      return false;
    }
    handler(request, response);
    return true;
  };

  #hold(waiting: Waiting): void {
    const { socket } = waiting.request;
    const held = this.#waiting.get(socket);
    // Node's parser goes on to the end of what it has read: thousands of requests, of which no line is worth a look.
    if (held !== undefined && held.length >= MOST_WAITING) {
      socket.destroy();
      return;
    }
    seeLine(waiting.request);
    if (held === undefined) this.#waiting.set(socket, [waiting]);
    else held.push(waiting);
  }
}
