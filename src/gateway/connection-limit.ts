import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { S3Error } from '../errors/s3-error.ts';
import { sourceOf } from '../observe/source-of.ts';
import { ConnectionMemory, type Holding } from './memory/connection-memory.ts';
import { PLAIN_CONNECTION, PROXIED_REQUEST, TLS_CONNECTION } from './memory/prices.ts';
import { UnreadBytes } from './memory/unread-bytes.ts';
import type { Arrived } from './node-parser.ts';
import { endsOf, type Peers } from './proxy-protocol/peers.ts';
import { answerSocket } from './socket-answer.ts';

export interface ConnectionBounds {
  /** Most connections on all listeners together; 0: any number. */
  readonly total: number;
  /** Most connections from one address, or from one /64 of IPv6; 0: any number. */
  readonly perAddress: number;
  /** Memory of all connections, and of the unsigned data on them; absent: any amount. */
  readonly memoryBytes?: number;
  /** Says which peers stand for many clients, as proxies do. For them the bound of one address does not apply. */
  readonly exempt?: (address: string) => boolean;
  /** Knows the client behind a connection that a balancer opened. */
  readonly peers?: Peers;
  /** Called for each connection that is refused. */
  readonly refused?: (address: string) => void;
}

/** Time in which a client that was refused may read the answer. */
const GRACE_MS = 250;
/** More than so many at a time are closed without one. */
const MOST_LEAVING = 256;

/**
 * Counts connections of S3 clients and refuses those beyond a number, or beyond the memory for them: on plain HTTP with
 * a 503, on TLS by closing the connection. Without a bound, one client could open so many connections that the process
 * runs out of memory, or that no other client gets one.
 */
export class ConnectionLimit {
  readonly memory: ConnectionMemory;
  readonly #bounds: ConnectionBounds;
  readonly #turnedAway = new WeakSet<Socket>();
  /** By the socket that carries HTTP. */
  readonly #holdings = new WeakMap<Socket, Holding>();
  /** Of connections whose TLS handshake is not complete: HTTP then has another socket, with the same ends. */
  readonly #shakingHands = new Map<string, Holding>();
  readonly #unread: UnreadBytes;
  /** Connections that were refused and may still read why. */
  #leaving = 0;
  #total = 0;

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
    const { memoryBytes: bytes = Infinity, perAddress: perSource } = bounds;
    this.memory = new ConnectionMemory({ bytes, perSource });
    this.#unread = new UnreadBytes(this.memory);
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
    server.prependListener('secureConnection', (socket: Socket) => {
      const holding = this.#shakingHands.get(endsOf(socket));
      if (holding !== undefined) this.#holdings.set(socket, holding);
    });
  }

  /** Whether a request came on a connection that was refused. The gateway does no work for such a request. */
  isTurnedAway(socket: Socket): boolean {
    return this.#turnedAway.has(socket);
  }

  /** What a connection holds. Undefined: it is not counted. @param socket that carries HTTP */
  holdingOf(socket: Socket): Holding | undefined {
    return this.#holdings.get(socket);
  }

  /**
   * What a request holds: its connection's, or where a proxy has opened that, its own, which its client counts for.
   * @param address of the client
   * @returns undefined: it is not counted; 'none': the client has as much as it may have
   */
  enter(socket: Socket, response: ServerResponse, address: string): Holding | 'none' | undefined {
    const ofConnection = this.holdingOf(socket);
    if (ofConnection === undefined || ofConnection.source !== undefined) return ofConnection;
    if (this.#bounds.exempt?.(address) === true) return ofConnection;
    const holding = this.memory.open(sourceOf(address), PROXIED_REQUEST, () => this.#end(socket, ofConnection));
    if (holding === undefined) return 'none';
    this.memory.settle(holding, true);
    response.once('close', () => this.memory.end(holding));
    return holding;
  }

  /** To be told what lies in memory after each read. */
  readonly onRead = (socket: Socket, arrived: Arrived): void => {
    const holding = this.holdingOf(socket);
    if (holding !== undefined && !this.#unread.came(holding, arrived)) this.#end(socket, holding);
  };

  /** The body of the request that is served on a connection is read, or its answer is over. */
  onBodyRead(socket: Socket): void {
    const holding = this.holdingOf(socket);
    if (holding !== undefined) this.#unread.isRead(holding);
  }

  #end(socket: Socket, holding: Holding): void {
    socket.destroy();
    this.#unread.free(holding);
  }

  #arrived(socket: Socket, plain: boolean): void {
    const { total, exempt, refused, peers } = this.#bounds;
    const address = peers?.addressOf(socket) ?? socket.remoteAddress ?? '';
    const source = exempt?.(address) === true ? undefined : sourceOf(address);
    const price = plain ? PLAIN_CONNECTION : TLS_CONNECTION;
    const isFull = total > 0 && this.#total >= total;
    const holding = isFull ? undefined : this.memory.open(source, price, (dropped) => this.#end(socket, dropped));
    if (holding === undefined) {
      this.#turnAway(socket, plain);
      refused?.(address);
      return;
    }
    this.#total += 1;
    const ends = endsOf(socket);
    if (plain) this.#holdings.set(socket, holding);
    else this.#shakingHands.set(ends, holding);
    socket.once('close', () => {
      this.#total -= 1;
      if (this.#shakingHands.get(ends) === holding) this.#shakingHands.delete(ends);
      this.memory.end(holding);
    });
  }

  /** Reads and ignores what the client sends meanwhile: a reset of the connection would take the answer with it. */
  #turnAway(socket: Socket, plain: boolean): void {
    this.#turnedAway.add(socket);
    socket.on('error', () => socket.destroy());
    if (!plain || this.#leaving >= MOST_LEAVING) {
      socket.destroy();
      return;
    }
    this.#leaving += 1;
    socket.once('close', () => void (this.#leaving -= 1));
    answerSocket(socket, new S3Error('SlowDown', { message: 'Too many connections.' }));
    setTimeout(() => socket.destroy(), GRACE_MS).unref();
  }
}
