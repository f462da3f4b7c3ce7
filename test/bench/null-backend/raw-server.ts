import { Socket, createServer } from 'node:net';
import type { Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** One request as the bench's own server sees it: trusted peers, so the parser is quick and not strict. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** The head as it came, Latin-1, with its first line. */
  readonly head: string;
  /** Bodies up to `KEEP_BODY`; larger ones are counted and forgotten. */
  readonly body: Buffer | undefined;
  /** The first `KEEP_BODY` bytes of any body. */
  readonly start: Buffer;
  readonly bodySize: number;
}

/** The whole answer, or its head and what follows it. */
export type RawAnswer = string | { readonly head: string; readonly body: readonly Buffer[] };

const KEEP_BODY = 16 * 1024;
/** Of a list of blocks, or a batch: thousands of them are named in one. */
const KEEP_LIST = 8 * 1024 * 1024;
const READ_BUFFER = 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const TERMINATOR = Buffer.from('\r\n\r\n');

interface RawServerOptions {
  /** Milliseconds that an answer waits; asked for each. */
  readonly latency: () => number;
  /** Present: https. PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** HTTP/1.1 at memory speed: no object per header, no stream per body, one read buffer per connection. */
export function createRawServer(
  answer: (request: RawRequest) => RawAnswer,
  { latency, tls }: RawServerOptions,
): Server {
  if (tls !== undefined) {
    return createTlsServer({ noDelay: true, ...tls }, (socket) => new RawConnection(socket, answer, latency).read());
  }
  return createServer({ noDelay: true, pauseOnConnect: true }, (accepted) => {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BUFFER),
      callback: (length: number, buffer: Uint8Array) => {
        connection.take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    };
    const connection = new RawConnection(reopened(accepted, onread), answer, latency);
  });
}

/** The same connection, read into a buffer of ours. */
function reopened(accepted: Socket, onread: object): Socket {
  const { _handle: handle } = accepted as unknown as WithHandle;
  (accepted as unknown as WithHandle)._handle = null;
  return new Socket({ handle, onread, readable: true, writable: true } as object);
}

/** The private handle of an accepted socket: only so can it be read into a buffer of ours. For this bench only. */
interface WithHandle {
  _handle: object | null;
}

class RawConnection {
  readonly #answer: (request: RawRequest) => RawAnswer;
  readonly #latency: () => number;
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the body that were kept, and may be. */
  #kept = 0;
  #keep = KEEP_BODY;
  #head: { text: string; size: number } | undefined;
  #bodyLeft = 0;
  #body: Buffer[] = [];

  constructor(socket: Socket, answer: (request: RawRequest) => RawAnswer, latency: () => number) {
    this.#answer = answer;
    this.#latency = latency;
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.resume();
  }

  /** Where nothing else brings the bytes. */
  read(): void {
    this.#socket.on('data', (bytes: Buffer) => this.take(bytes));
  }

  take(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#head === undefined) rest = this.#takeHead(rest);
      if (this.#head === undefined) return;
      const part = rest.length > this.#bodyLeft ? rest.subarray(0, this.#bodyLeft) : rest;
      this.#bodyLeft -= part.length;
      if (this.#kept < this.#keep) this.#keepPart(part.subarray(0, this.#keep - this.#kept));
      rest = rest.subarray(part.length);
      if (this.#bodyLeft === 0) this.#respond(this.#head);
    }
  }

  #keepPart(part: Buffer): void {
    this.#kept += part.length;
    this.#body.push(Buffer.from(part));
  }

  #takeHead(bytes: Buffer): Buffer {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = all.indexOf(TERMINATOR);
    if (end < 0) {
      this.#rest = Buffer.from(all);
      return all.subarray(all.length);
    }
    this.#rest = this.#rest.subarray(0, 0);
    const text = all.toString('latin1', 0, end);
    const size = Number(headerOf(text, 'content-length') ?? 0);
    this.#head = { text, size };
    const line = text.slice(0, text.indexOf('\r\n'));
    this.#keep = line.includes('comp=blocklist') || isBatch(line) ? KEEP_LIST : KEEP_BODY;
    this.#bodyLeft = size;
    const rest = all.subarray(end + TERMINATOR.length);
    if (size === 0) this.#respond(this.#head);
    return rest;
  }

  #respond({ text, size }: { text: string; size: number }): void {
    const start = size > 0 ? Buffer.concat(this.#body) : NOTHING;
    const body = size > 0 && size <= this.#keep ? start : undefined;
    this.#head = undefined;
    this.#body = [];
    this.#kept = 0;
    const methodEnd = text.indexOf(' ');
    const method = text.slice(0, methodEnd);
    const target = text.slice(methodEnd + 1, text.indexOf(' ', methodEnd + 1));
    const answer = this.#answer({ method, target, head: text, body, start, bodySize: size });
    const latency = this.#latency();
    if (latency > 0) setTimeout(() => this.#send(answer), latency);
    else this.#send(answer);
  }

  #send(answer: RawAnswer): void {
    if (typeof answer === 'string') {
      this.#socket.write(answer, 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(answer.head, 'latin1');
    for (const part of answer.body) this.#socket.write(part);
    this.#socket.uncork();
  }
}

/** Value of the first header of that name, however it is spelt. */
export function headerOf(head: string, name: string): string | undefined {
  const found = headerPattern(name).exec(head);
  return found?.[1];
}

const patterns = new Map<string, RegExp>();

function headerPattern(name: string): RegExp {
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    pattern = new RegExp(`\r\n${name}:[ \t]*([^\r]*)`, 'i');
    patterns.set(name, pattern);
  }
  return pattern;
}

/** Whether the body of a request with this first line is looked at whole. */
function isBatch(line: string): boolean {
  return line.startsWith('POST ') && (line.includes('comp=batch') || line.startsWith('POST /batch/'));
}
