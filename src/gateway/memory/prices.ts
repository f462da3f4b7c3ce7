import type { IncomingMessage } from 'node:http';
import type { Arrived } from '../node-parser.ts';
import { MAX_FORM_DATA } from '../../protocol/form/form-reader.ts';

/*
 * What connections and what comes on them take, as bytes of resident memory, garbage included: measured, see
 * docs/decisions/0041-memory-before-signatures.md.
 */

/** A connection on which nothing has come. */
export const PLAIN_CONNECTION = 10 * 1024;
/** The same over TLS, from the beginning of its handshake. */
export const TLS_CONNECTION = 72 * 1024;
/** A request that came through a proxy and is served: its connection counts for no client. */
export const PROXIED_REQUEST = 10 * 1024;
const HALF_HEAD = 4 * 1024;
/** Of a form before its file: what its parser makes of a byte. */
const FORM_FACTOR = 4;
const FORM = 8 * 1024;
const WAITING = 4 * 1024;
const WAITING_TEXT = 80;
/** Node reads so many bytes at once, and what of them belongs to a body waits with its request. */
const READ = 64 * 1024;
/** A buffer, beside its bytes. Each HTTP chunk is one, however short. */
const PIECE = 300;
/** The most that there are in one read: a chunk of one byte takes six. */
const PIECES_OF_READ = READ / 6;

/** Node's queue of a stream. It is no documented interface: where it is missing, there may be as many as bytes. */
interface Queued {
  readonly _readableState?: { readonly buffer?: { readonly length: number }; readonly bufferIndex?: number };
}

/** A request that waits: its objects, two texts for each line of its head, what may have come of its body. */
export function waitingRequest({ url = '', rawHeaders, headers }: IncomingMessage): number {
  let bytes = WAITING + 2 * url.length;
  for (const text of rawHeaders) bytes += WAITING_TEXT + 2 * text.length;
  if (headers['transfer-encoding'] !== undefined) return bytes + READ + Math.ceil(PIECES_OF_READ * PIECE);
  return bytes + Math.min(Number(headers['content-length'] ?? 0), READ);
}

/** What lies in memory of a head whose end has not come, and of a body that is not read yet. */
export function arrivedBytes({ ofHead, ofBody, unread }: Arrived): number {
  return (ofHead === 0 ? 0 : HALF_HEAD + ofHead) + ofBody + (unread === undefined ? 0 : PIECE * piecesOf(unread));
}

function piecesOf(request: IncomingMessage & Queued): number {
  const { buffer, bufferIndex = 0 } = request._readableState ?? {};
  return buffer === undefined ? request.readableLength : buffer.length - bufferIndex;
}

/** @param bytes that have come of a form whose fields are being read; 0: none is */
export function halfForm(bytes: number): number {
  return bytes === 0 ? 0 : FORM + bytes + (FORM_FACTOR - 1) * Math.min(bytes, MAX_FORM_DATA);
}
