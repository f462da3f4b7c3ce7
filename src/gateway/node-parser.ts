import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser of a connection. It is no documented interface: what is missing is not used. */
interface NodeParser {
  /** @returns a copy of what is being parsed */
  readonly getCurrentBuffer?: () => Buffer | undefined;
  readonly constructor: { readonly kOnMessageBegin?: number; readonly kOnExecute?: number };
  /** Called at the first byte of a head, and when all of what was read is parsed. */
  [event: number]: ((this: NodeParser, ...given: unknown[]) => unknown) | null | undefined;
  /** Takes a request whose head is complete. @returns what the parser does next; below 0: it stops */
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number;
}

/** What has come of a connection and lies in memory, when all that was read is parsed. */
export interface Arrived {
  /** Bytes of a head whose end has not come. */
  readonly ofHead: number;
  /** Bytes of the last request whose body is not read yet. */
  readonly ofBody: number;
  /** That request. */
  readonly unread: IncomingMessage | undefined;
}

type ParsedSocket = Socket & { readonly parser?: NodeParser | null };
type OnRead = (socket: Socket, arrived: Arrived) => void;

const STOP = -1;
/** Node's `maxHeaderSize`: of more, none is kept. */
const MAX_HEAD = 16 * 1024;
const NOTHING: Arrived = { ofHead: 0, ofBody: 0, unread: undefined };

/**
 * Has Node parse nothing more of a connection that was destroyed, and tells what lies in memory after each read. Left
 * to itself, its parser goes on to the end of what it has read, and makes objects of thousands of requests that nobody
 * will serve. To be called before the server listens, and after its own listeners are there.
 */
export function watchParsers(server: Server, onRead: OnRead): void {
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket: ParsedSocket) => {
      if (socket.parser != null) new ParserWatch(socket, onRead).begin(socket.parser);
    });
  }
}

/**
 * What is being parsed of a connection: 64 KiB at most, in which there may be many requests. To be called while a head
 * is being parsed, before anything is awaited. @returns undefined: unknown
 */
export function bytesBeingParsed(socket: ParsedSocket): Buffer | undefined {
  const watch = watches.get(socket);
  if (watch === undefined) return socket.parser?.getCurrentBuffer?.();
  return (watch.copied ??= socket.parser?.getCurrentBuffer?.());
}

const watches = new WeakMap<Socket, ParserWatch>();

class ParserWatch {
  /** What is being parsed, once a caller has asked for it. */
  copied: Buffer | undefined;

  readonly #socket: Socket;
  readonly #onRead: OnRead;
  /** A head has begun and not ended. */
  #inHead = false;
  /** Bytes of the connection before the last read that ended outside of a head. */
  #before = 0;
  #last: IncomingMessage | undefined;
  /** The same when the last request came. */
  #beforeLast = 0;

  constructor(socket: Socket, onRead: OnRead) {
    this.#socket = socket;
    this.#onRead = onRead;
  }

  begin(parser: NodeParser): void {
    const { kOnMessageBegin, kOnExecute } = parser.constructor;
    const take = parser.onIncoming;
    const executed = kOnExecute === undefined ? undefined : parser[kOnExecute];
    if (kOnMessageBegin === undefined || kOnExecute === undefined || executed == null || take === undefined) return;
    parser[kOnMessageBegin] = () => {
      this.#inHead = true;
    };
    parser.onIncoming = (request, keepAlive) => {
      this.#inHead = false;
      this.#last = request;
      this.#beforeLast = this.#before;
      const next = take(request, keepAlive);
      return this.#socket.destroyed ? STOP : next;
    };
    parser[kOnExecute] = (...given) => {
      this.copied = undefined;
      // Node would make an error of having been stopped, with a copy of all that was read.
      if (this.#socket.destroyed) return;
      executed.apply(parser, given);
      this.#onRead(this.#socket, this.#look());
    };
    watches.set(this.#socket, this);
  }

  #look(): Arrived {
    const { bytesRead } = this.#socket;
    const ofHead = this.#inHead ? Math.min(MAX_HEAD, bytesRead - this.#before) : 0;
    if (!this.#inHead) this.#before = bytesRead;
    const last = this.#last;
    if (last?.readableFlowing !== null || last.readableLength === 0) {
      this.#last = undefined;
      return ofHead === 0 ? NOTHING : { ...NOTHING, ofHead };
    }
    return { ofHead, ofBody: bytesRead - this.#beforeLast, unread: last };
  }
}
