import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser on a socket. It is no documented interface: where it is missing, nothing is checked. */
interface Parsed extends Socket {
  readonly parser?: { readonly getCurrentBuffer?: () => Buffer | undefined };
}

/**
 * Whether the request line has exactly one blank between its parts. Node's parser accepts several, even in strict mode,
 * and a proxy that counts blanks otherwise would see another target. Must be asked while the head is being parsed, that
 * is, before anything is awaited. A line that came in several pieces passes, because only the last piece can be looked
 * at.
 */
export function hasSingleBlanks({ socket, method = '', url = '', httpVersion }: IncomingMessage): boolean {
  const bytes = (socket as Parsed).parser?.getCurrentBuffer?.();
  if (bytes === undefined) return true;
  const line = `${method} ${url} HTTP/${httpVersion}`;
  if (bytes.toString('latin1', 0, line.length) === line) return true;
  // The line is not at the beginning of the buffer: it stands behind another request or behind empty lines, or is not
  // there at all.
  return bytes.includes(`\n${line}`, 0, 'latin1') || !hasDoubledBlanks(bytes, method, url);
}

function hasDoubledBlanks(bytes: Buffer, method: string, url: string): boolean {
  let at = bytes.indexOf(`${method} `, 0, 'latin1');
  for (; at >= 0; at = bytes.indexOf(`${method} `, at + 1, 'latin1')) {
    const target = afterBlanks(bytes, at + method.length);
    if (bytes.toString('latin1', target, target + url.length) !== url) continue;
    const version = afterBlanks(bytes, target + url.length);
    if (target > at + method.length + 1 || version > target + url.length + 1) return true;
  }
  return false;
}

function afterBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20) at += 1;
  return at;
}
