import type { IncomingMessage } from 'node:http';
import type { Arrived } from '../node-parser.ts';
import { ChangingPart } from './changing-part.ts';
import type { ConnectionMemory, Holding } from './connection-memory.ts';
import { arrivedBytes } from './prices.ts';

interface Unread {
  readonly part: ChangingPart;
  /** The request that has a body in memory which is not read yet. */
  request: IncomingMessage | undefined;
}

/** What has come on connections and is not read yet: half heads, and bodies of requests that wait for something. */
export class UnreadBytes {
  readonly #memory: ConnectionMemory;
  readonly #unread = new WeakMap<Holding, Unread>();

  constructor(memory: ConnectionMemory) {
    this.#memory = memory;
  }

  /** @param arrived what lies in memory now @returns false: there is no room for it; the connection must end */
  came(holding: Holding, arrived: Arrived): boolean {
    const bytes = arrivedBytes(arrived);
    let unread = this.#unread.get(holding);
    if (unread === undefined) {
      if (bytes === 0) return true;
      unread = { part: new ChangingPart(this.#memory, holding), request: undefined };
      this.#unread.set(holding, unread);
    }
    unread.request = arrived.unread;
    return unread.part.has(bytes);
  }

  /** The body begins to be read, or its request is over. */
  isRead(holding: Holding): void {
    const unread = this.#unread.get(holding);
    if (unread === undefined) return;
    unread.request = undefined;
    unread.part.has(0);
  }

  /**
   * To be called when a connection had to end. Node keeps its requests until it has looked at all other connections
   * that have bytes: thousands of bodies. Their memory is given back now.
   */
  free(holding: Holding): void {
    const request = this.#unread.get(holding)?.request;
    this.#unread.delete(holding);
    for (let piece = next(request); piece !== null; piece = next(request)) {
      const { buffer, byteLength } = piece;
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
    }
  }
}

function next(request: IncomingMessage | undefined): Buffer | null {
  return request === undefined ? null : (request.read() as Buffer | null);
}
