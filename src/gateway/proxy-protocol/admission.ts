import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_PROXY_HEADER, readProxyHeader } from './header.ts';
import type { Peers } from './peers.ts';

export interface ProxyProtocolOptions {
  /**
   * Whether connections from this address begin with a header. From others they do not, and one that comes is refused
   * as the bad request it is.
   */
  readonly isSource: (address: string) => boolean;
  readonly peers: Peers;
  /** Milliseconds for the whole header. */
  readonly timeoutMs: number;
  /** Told of each connection of a balancer that ended for want of a header. */
  readonly refused?: (address: string, reason: string) => void;
}

/** Connections at a time that are still to send their header; a balancer sends it with the first packet. */
const MAX_PENDING = 4096;

/**
 * Holds connections of balancers back from a server until their PROXY header has been read and taken off. To be called
 * when everything that listens for connections does: no listener hears of a connection before it is known whose it is.
 */
export class ProxyAdmission {
  readonly #options: ProxyProtocolOptions;
  readonly #pending = new Set<Socket>();
  readonly #admit: (socket: Socket) => void;

  constructor(server: Server, options: ProxyProtocolOptions) {
    this.#options = options;
    const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    this.#admit = (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    server.on('connection', (socket: Socket) => this.#arrived(socket));
  }

  /** Ends those that have not said yet whose they are. */
  destroyPending(): void {
    for (const socket of this.#pending) socket.destroy();
  }

  #arrived(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    if (!this.#options.isSource(address)) {
      this.#admit(socket);
    } else if (this.#pending.size >= MAX_PENDING) {
      this.#refuse(socket, 'too many connections wait for their PROXY header');
    } else {
      this.#await(socket);
    }
  }

  #await(socket: Socket): void {
    this.#pending.add(socket);
    const done = (): void => {
      clearTimeout(timer);
      this.#pending.delete(socket);
      socket.off('readable', read).off('end', ended).off('error', failed).off('close', done);
    };
    const failed = (): void => void socket.destroy();
    const ended = (): void => void socket.destroy();
    const timer = setTimeout(() => {
      done();
      this.#refuse(socket, 'the PROXY header did not come in time');
    }, this.#options.timeoutMs);
    const held = { bytes: Buffer.alloc(0) };
    const read = (): void => {
      const outcome = this.#take(socket, held);
      if (outcome === undefined) return;
      done();
      if (typeof outcome === 'string') this.#refuse(socket, outcome);
      else this.#admit(socket);
    };
    socket.on('readable', read).on('end', ended).on('error', failed).once('close', done);
  }

  /** @returns undefined: there is more to come; a text: why the connection must end */
  #take(socket: Socket, held: { bytes: Buffer }): true | string | undefined {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      held.bytes = held.bytes.length === 0 ? chunk : Buffer.concat([held.bytes, chunk]);
      if (held.bytes.length > MAX_PROXY_HEADER) break;
    }
    try {
      const header = readProxyHeader(held.bytes);
      if (header === undefined) return undefined;
      if (header.source !== undefined) this.#options.peers.name(socket, header.source);
      const rest = held.bytes.subarray(header.length);
      if (rest.length > 0) socket.unshift(rest);
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #refuse(socket: Socket, reason: string): void {
    this.#options.refused?.(socket.remoteAddress ?? '', reason);
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
