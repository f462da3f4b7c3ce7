import { finished } from 'node:stream/promises';
import { readBuffers } from '../streams/read-buffers.ts';
import type { Exchange } from './exchange.ts';

/** Unread rests up to this size are read away, so that the connection lives on. */
const MAX_READ_AWAY = 256 * 1024;
/** A client that is still sending more gets this much time and room to see the answer before the socket closes. */
const LINGER_MS = 1000;
const LINGER_BYTES = 4 * 1024 * 1024;

/** Whether the connection must end after this answer, because what follows the head on it was not read. */
export function mustClose(exchange: Exchange): boolean {
  return exchange.continuePending || exchange.bytesToCome > MAX_READ_AWAY;
}

/**
 * Called when an answer is ended and the connection lives on: the rest of the body is read away, so
 * that the next request can be seen behind it.
 */
export function readAwayBody({ request }: Exchange): void {
  if (request.readableEnded || request.destroyed) return;
  // A body that was being read may be paused.
  request.on('data', note).resume();
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
}

/**
 * Called when an answer is written but not ended. A socket closed while bytes of the client are
 * under way is reset, and the answer lost with it: so they are read for a bounded while.
 */
export async function lingerOverBody(exchange: Exchange): Promise<void> {
  const { request } = exchange;
  if (request.complete || request.destroyed || exchange.continuePending) return;
  const limit = AbortSignal.timeout(LINGER_MS);
  let received = 0;
  const ended = finished(request, { signal: limit, cleanup: true }).catch(() => undefined);
  const full = new Promise<void>((resolve) => {
    request.on('data', (chunk: Buffer) => {
      note(chunk);
      received += chunk.length;
      if (received > LINGER_BYTES) resolve();
    });
  });
  await Promise.race([ended, full]);
}

/** Strangers who send what nobody wants must not decide how much memory waits for V8 to look. */
function note(chunk: Buffer): void {
  readBuffers.note(chunk.length);
}
