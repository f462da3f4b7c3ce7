import { Socket, createServer } from 'node:net';
import type { Server } from 'node:net';

/** One request as the bench's own server sees it: trusted peers, so the parser is quick and not strict. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** The head as it came, Latin-1, with its first line. */
  readonly head: string;
  /** Bodies up to `KEEP_BODY`; larger ones are counted and forgotten. */
  readonly body: Buffer | undefined;
  readonly bodySize: number;
}

/** The whole answer, or its head and what follows it. */
export type RawAnswer = string | { readonly head: string; readonly body: readonly Buffer[] };

const KEEP_BODY = 16 * 1024;
const READ_BUFFER = 1024 * 1024;
const TERMINATOR = Buffer.from('\r\n\r\n');

/** HTTP/1.1 at memory speed: no object per header, no stream per body, one read buffer per connection. */
export function createRawServer(
  answer: (request: RawRequest) => RawAnswer,
  /** Milliseconds that an answer waits; asked for each. */
  latency: () => number = () => 0,
): Server {
  return createServer({ noDelay: true, pauseOnConnect: true }, (accepted) => {
    new RawConnection(accepted, answer, latency);
  });
}

/** The private handle of an accepted socket: only so can it be read into a buffer of ours. For this bench only. */
interface WithHandle {
  _handle: object | null;
}

class RawConnection {
  readonly #answer: (request: RawRequest) => RawAnswer;
  readonly #latency: () => number;
  readonly #socket: Socket;
  #kept: Buffer = Buffer.alloc(0);
  #head: { text: string; size: number } | undefined;
  #bodyLeft = 0;
  #body: Buffer[] = [];

  constructor(accepted: Socket, answer: (request: RawRequest) => RawAnswer, latency: () => number) {
    this.#answer = answer;
    this.#latency = latency;
    const { _handle: handle } = accepted as unknown as WithHandle;
    (accepted as unknown as WithHandle)._handle = null;
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BUFFER),
      callback: (length: number, buffer: Uint8Array) => {
        this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    };
    this.#socket = new Socket({ handle, onread, readable: true, writable: true } as object);
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.resume();
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#head === undefined) rest = this.#takeHead(rest);
      if (this.#head === undefined) return;
      const part = rest.length > this.#bodyLeft ? rest.subarray(0, this.#bodyLeft) : rest;
      this.#bodyLeft -= part.length;
      if (this.#head.size <= KEEP_BODY && part.length > 0) this.#body.push(Buffer.from(part));
      rest = rest.subarray(part.length);
      if (this.#bodyLeft === 0) this.#respond(this.#head);
    }
  }

  #takeHead(bytes: Buffer): Buffer {
    const all = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    const end = all.indexOf(TERMINATOR);
    if (end < 0) {
      this.#kept = Buffer.from(all);
      return all.subarray(all.length);
    }
    this.#kept = this.#kept.subarray(0, 0);
    const text = all.toString('latin1', 0, end);
    const size = Number(headerOf(text, 'content-length') ?? 0);
    this.#head = { text, size };
    this.#bodyLeft = size;
    const rest = all.subarray(end + TERMINATOR.length);
    if (size === 0) this.#respond(this.#head);
    return rest;
  }

  #respond({ text, size }: { text: string; size: number }): void {
    const body = size > 0 && size <= KEEP_BODY ? Buffer.concat(this.#body) : undefined;
    this.#head = undefined;
    this.#body = [];
    const methodEnd = text.indexOf(' ');
    const method = text.slice(0, methodEnd);
    const target = text.slice(methodEnd + 1, text.indexOf(' ', methodEnd + 1));
    const answer = this.#answer({ method, target, head: text, body, bodySize: size });
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
