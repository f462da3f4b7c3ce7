import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser on a socket. It is no documented interface: where it is missing, nothing is checked. */
interface Parsed extends Socket {
  readonly parser?: { readonly getCurrentBuffer?: () => Buffer | undefined };
}

const BLANK = 0x20;
/** Of `HTTP/`. */
const H = 0x48;

/**
 * Whether the request line has exactly one blank between its parts. Node's parser accepts several, even in strict mode,
 * and a proxy that counts blanks otherwise would see another target. Must be asked while the head is being parsed, that
 * is, before anything is awaited. A line that came in several pieces passes, because only the last piece can be looked
 * at.
 * @param target as it came: Fastify has another in `request.url`
 */
export function hasSingleBlanks({ socket, method = '' }: IncomingMessage, target: string): boolean {
  const bytes = (socket as Parsed).parser?.getCurrentBuffer?.();
  if (bytes === undefined || isLineAt(bytes, 0, { method, target })) return true;
  // The line is not at the beginning of the buffer: it stands behind another request or behind empty lines, or is not
  // there at all.
  return bytes.includes(`\n${method} ${target} H`, 0, 'latin1') || !hasDoubledBlanks(bytes, method, target);
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
}

/** Compares in place: this is asked of every request, and texts made of the bytes would cost more than the rest. */
function isLineAt(bytes: Buffer, start: number, { method, target }: RequestLine): boolean {
  const at = start + method.length;
  const end = at + 1 + target.length;
  return (
    bytes[at] === BLANK &&
    bytes[end] === BLANK &&
    bytes[end + 1] === H &&
    isTextAt(bytes, start, method) &&
    isTextAt(bytes, at + 1, target)
  );
}

function isTextAt(bytes: Buffer, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

function hasDoubledBlanks(bytes: Buffer, method: string, target: string): boolean {
  let at = bytes.indexOf(`${method} `, 0, 'latin1');
  for (; at >= 0; at = bytes.indexOf(`${method} `, at + 1, 'latin1')) {
    const first = afterBlanks(bytes, at + method.length);
    if (!isTextAt(bytes, first, target)) continue;
    const version = afterBlanks(bytes, first + target.length);
    if (first > at + method.length + 1 || version > first + target.length + 1) return true;
  }
  return false;
}

function afterBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === BLANK) at += 1;
  return at;
}
