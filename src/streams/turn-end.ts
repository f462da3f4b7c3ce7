import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** How many wait at most. The first one waits while so many others are worked for, and no longer. */
const MOST_WAITING = 32;

let waiting: (() => void)[] = [];
let end: NodeJS.Immediate | undefined;

/**
 * Makes a write at the end of this turn of the event loop, in a row with those of all other requests that the turn
 * works for. A write wakes its reader if that sleeps, which on one machine takes longer than the write itself. A reader
 * that gets many requests in a row sleeps once, and one that gets them one by one does so after each of them.
 * @param write must not throw, and finds out by itself whether there is anybody left to write to
 */
export function atTurnsEnd(write: () => void): void {
  waiting.push(write);
  if (waiting.length >= MOST_WAITING) writeAll();
  else end ??= setImmediate(writeAll);
}

/**
 * Makes a small write to a peer at the end of the turn, or at once over TLS: requests that were encrypted in a row took
 * 1.2 to 1.7 times the CPU, and their answers up to three times as long (docs/decisions/0006-byte-path.md).
 * @param write as of `atTurnsEnd`
 */
export function leaveBy(socket: Socket | null, write: () => void): void {
  if (socket instanceof TLSSocket) write();
  else atTurnsEnd(write);
}

function writeAll(): void {
  clearImmediate(end);
  end = undefined;
  const writes = waiting;
  waiting = [];
  for (const write of writes) write();
}
