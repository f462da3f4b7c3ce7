import type { Socket } from 'node:net';
import { bodyLength, filler } from './wire-request.ts';
import type { WireRequest } from './wire-request.ts';

/** Bodies up to this are sent in one write with their head. */
const ONE_WRITE = 64 * 1024;
/** Pieces of a large body that may be on their way to the kernel at a time. */
const PIECES_AHEAD = 2;

/** A request ready to be written, over and over. */
export class SendableRequest {
  readonly isHead: boolean;
  readonly bodySize: number;
  readonly #first: Buffer;
  readonly #piece: Buffer;
  readonly #times: number;
  readonly #tail: Buffer;
  readonly #prefixes: readonly string[] | undefined;

  constructor({ head, body }: WireRequest) {
    this.isHead = head.startsWith('HEAD ');
    this.bodySize = body === undefined ? 0 : body.fill * body.times;
    const piece = body === undefined ? Buffer.alloc(0) : pieceOf(body.prefix, body.fill, body.suffix);
    this.#prefixes = body?.prefixes;
    const times = body?.times ?? 0;
    // A text is all tail, however long.
    const whole = body === undefined || times === 0 || (bodyLength(body) <= ONE_WRITE && body.prefixes === undefined);
    const tail = Buffer.from(body?.tail ?? '');
    this.#first = whole
      ? Buffer.concat([Buffer.from(head, 'latin1'), ...Array.from({ length: times }, () => piece), tail])
      : Buffer.from(head, 'latin1');
    this.#piece = piece;
    this.#times = whole ? 0 : times;
    this.#tail = whole ? Buffer.alloc(0) : tail;
  }

  writeTo(socket: Socket): void {
    socket.write(this.#first);
    if (this.#times === 0) return;
    let left = this.#times;
    const next = (): void => {
      if (left < 0) return;
      left -= 1;
      if (left >= 0) this.#writePiece(socket, this.#times - 1 - left, next);
      else if (this.#tail.length > 0) socket.write(this.#tail);
    };
    for (let i = 0; i < PIECES_AHEAD; i += 1) next();
  }

  #writePiece(socket: Socket, number: number, done: () => void): void {
    const prefix = this.#prefixes?.[number];
    if (prefix !== undefined) {
      socket.cork();
      socket.write(prefix, 'latin1');
    }
    socket.write(this.#piece, done);
    if (prefix !== undefined) socket.uncork();
  }
}

const pieces = new Map<string, Buffer>();

/** Requests of one work share their piece. */
function pieceOf(prefix: string, fill: number, suffix: string): Buffer {
  const key = `${prefix}|${fill}|${suffix}`;
  let piece = pieces.get(key);
  if (piece === undefined) {
    pieces.set(key, (piece = Buffer.concat([Buffer.from(prefix), filler(fill), Buffer.from(suffix)])));
  }
  return piece;
}
