import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionLimit } from './connection-limit.ts';
import { seeLine } from './head-bounds.ts';
import { waitingRequest } from './memory/prices.ts';

/**
 * Requests that may wait on one connection. It is paused as soon as one does, but Node's parser goes on to the end of
 * what it has read, 64 KiB: thousands of requests. Clients that pipeline at all send a handful, and one whose
 * connection ends repeats what was not answered (RFC 9112 9.3.2).
 */
const MOST_WAITING = 20;
/**
 * Requests that may wait on all connections of a listener. Beyond it a connection ends with its second request. A crowd
 * of strangers, each with 64 KiB of requests, costs two heads a connection then, and all others wait for no more.
 */
const MOST_WAITING_IN_ALL = 1000;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handler: RequestListener;
  /** Bytes that it counts for. */
  readonly price: number;
}

/**
 * Serves the requests of a connection one after the other. Node hands out a request as soon as its head has come, also
 * while an earlier one of the same connection is served (pipelining). RFC 9112 9.3.2 allows a server to do them side by
 * side only if all of them are safe: otherwise a GET behind a PUT may read what was there before. And what comes behind
 * an answer that ends the connection must not be done, because its client would never hear of it.
 *
 * While a request waits, nothing more is read from its connection, so it is not seen either that the client has gone.
 * What waits counts for the memory of connections.
 */
export class PipelinedRequests {
  readonly #waiting = new WeakMap<Socket, Waiting[]>();
  #waitingInAll = 0;
  /** By the socket that carries HTTP. */
  readonly #last = new WeakMap<Duplex, ServerResponse>();
  readonly #connections: ConnectionLimit | undefined;

  /** @param connections absent: what waits is not counted */
  constructor(connections?: ConnectionLimit) {
    this.#connections = connections;
  }

  inTurn(handler: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      // What was read together with something that ended the connection.
      if (socket.destroyed) return;
      this.#last.set(socket, response);
      // Node gives an answer its socket when those before it on the connection are over.
      if (response.socket === null) {
        this.#hold({ request, response, handler, price: waitingRequest(request) });
      } else {
        this.#settle(socket, true);
        handler(request, response);
      }
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
    this.#connections?.onBodyRead(socket);
    const held = this.#waiting.get(socket);
    const next = held?.shift();
    if (held === undefined || next === undefined) {
      this.#settle(socket, false);
      return false;
    }
    const { request, response, handler, price } = next;
    this.#waitingInAll -= 1;
    this.#giveBack(socket, price);
    // The answer before it ends the connection.
    if (response.socket === null) return false;
    if (held.length === 0) this.#beginLast(next);
    else handler(request, response);
    return true;
  };

  /** Nothing waits any more: the connection is read again, which may tell that its client has gone. */
  #beginLast({ request, response, handler }: Waiting): void {
    const { socket } = request;
    this.#settle(socket, true);
    socket.off('resume', pause).resume();
    afterRead(() => {
      if (socket.writable) handler(request, response);
    });
  }

  #hold(waiting: Waiting): void {
    const { socket } = waiting.request;
    const held = this.#waiting.get(socket) ?? this.#beginHolding(socket);
    const isTooMany = held.length >= MOST_WAITING || this.#waitingInAll >= MOST_WAITING_IN_ALL;
    if (isTooMany || !this.#take(socket, waiting.price)) {
      socket.destroy();
      return;
    }
    seeLine(waiting.request);
    this.#waitingInAll += 1;
    if (held.push(waiting) > 1) return;
    this.#settle(socket, false);
    socket.on('resume', pause).pause();
  }

  #beginHolding(socket: Socket): Waiting[] {
    const held: Waiting[] = [];
    this.#waiting.set(socket, held);
    socket.once('close', () => {
      this.#waitingInAll -= held.splice(0).length;
    });
    return held;
  }

  #take(socket: Socket, bytes: number): boolean {
    const holding = this.#connections?.holdingOf(socket);
    return holding === undefined || this.#connections?.memory.take(holding, bytes) === true;
  }

  #giveBack(socket: Socket, bytes: number): void {
    const holding = this.#connections?.holdingOf(socket);
    if (holding !== undefined) this.#connections?.memory.giveBack(holding, bytes);
  }

  #settle(socket: Socket, settled: boolean): void {
    const holding = this.#connections?.holdingOf(socket);
    if (holding !== undefined) this.#connections?.memory.settle(holding, settled);
  }
}

/** Node has a connection go on whenever the body of a request on it has room for more. */
function pause(this: Socket): void {
  this.pause();
}

/** In the turn of the event loop that has looked at all sockets since now. */
function afterRead(call: () => void): void {
  setImmediate(() => setImmediate(call));
}
