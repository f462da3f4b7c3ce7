import { finished } from 'node:stream/promises';
import { readBuffers } from '../streams/read-buffers.ts';
import type { Exchange } from './exchange.ts';

/** Unread rests of bodies up to this size are read and dropped, so that the connection can serve further requests. */
const MAX_READ_AWAY = 256 * 1024;
/** A client that still sends more than that gets this much time and room to see the answer before the socket closes. */
const LINGER_MS = 1000;
const LINGER_BYTES = 4 * 1024 * 1024;

/** Whether the connection must end after this answer, because what follows the head on it was not read. */
export function mustClose(exchange: Exchange): boolean {
  return exchange.continuePending || exchange.bytesToCome > MAX_READ_AWAY;
}

/**
 * Called when an answer has ended and the connection stays open. Reads and drops the rest of the body, so that the next
 * request behind it can be read.
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
 * Called when an answer is written but not ended. If a socket is closed while bytes of the client are under way, it is
 * reset and the answer is lost with it. So the gateway reads these bytes for a bounded while.
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

/**
 * Counts dropped bytes so that their memory is released in time. Otherwise unauthenticated clients could decide how
 * much memory waits for V8's collector.
 */
function note(chunk: Buffer): void {
  readBuffers.note(chunk.length);
}
