import type { IncomingMessage } from 'node:http';

/*
 * What connections and what comes on them take, as bytes of resident memory, garbage included: measured, see
 * docs/decisions/0041-memory-before-signatures.md.
 */

/** A connection on which nothing has come. */
export const PLAIN_CONNECTION = 8 * 1024;
/** The same over TLS, from the beginning of its handshake. */
export const TLS_CONNECTION = 64 * 1024;
const WAITING = 4 * 1024;
const WAITING_TEXT = 80;
/** Node reads so many bytes at once, and what of them belongs to a body waits with its request. */
const READ = 64 * 1024;
/** The same in HTTP chunks of one byte: 10,922 buffers. */
const READ_IN_CHUNKS = 3 * 1024 * 1024;

/** A request that waits: its objects, two texts for each line of its head, what may have come of its body. */
export function waitingRequest({ url = '', rawHeaders, headers }: IncomingMessage): number {
  let bytes = WAITING + 2 * url.length;
  for (const text of rawHeaders) bytes += WAITING_TEXT + 2 * text.length;
  if (headers['transfer-encoding'] !== undefined) return bytes + READ_IN_CHUNKS;
  return bytes + Math.min(Number(headers['content-length'] ?? 0), READ);
}
