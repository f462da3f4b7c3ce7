import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import type { Killer } from './killer.ts';
import { KILLERS } from './killers.ts';

/**
 * Runs one killer from addresses of its own, in a thread of its own; posts how many answers there were of each status.
 */
const { name, port, ms } = workerData as { readonly name: string; readonly port: number; readonly ms: number };
const addressOf = (index: number, addresses = 1): string => `127.0.0.${String(2 + (index % addresses))}`;
const statuses: Record<string, number> = {};

async function attack(killer: Killer, index: number, signal: AbortSignal): Promise<void> {
  const socket = dial(killer, index);
  let head = '';
  socket
    .on('error', () => undefined)
    .on('data', (bytes) => {
      if (head.length < 64) head += bytes.toString('latin1', 0, 64);
      if (killer.reads === undefined) return;
      socket.pause();
      setTimeout(() => socket.resume(), (bytes.length * 1000) / killer.reads);
    });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  try {
    await once(socket, killer.encrypted === true ? 'secureConnect' : 'connect', { signal });
    for (const piece of killer.pieces(index)) {
      if (!socket.destroyed && !socket.write(piece)) await drained(socket, signal);
    }
    if (killer.reads !== undefined) {
      await Promise.race([closed, aborted(signal)]);
    } else if (killer.holds === true) {
      await aborted(signal);
    } else {
      const answered = once(socket, 'data', { signal });
      answered.catch(() => undefined);
      if (head === '') await Promise.race([answered, closed]);
    }
  } catch {
    // The gateway hung up, or the time is over.
  } finally {
    socket.destroy();
    await closed;
    const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 'none';
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

function dial({ encrypted = false, addresses }: Killer, index: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(index, addresses) });
  if (!encrypted) return socket;
  return connectTls({ socket, rejectUnauthorized: false });
}

function drained(socket: Socket, signal: AbortSignal): Promise<unknown> {
  return Promise.race([
    new Promise((resolve) => socket.once('drain', resolve).once('close', resolve)),
    aborted(signal),
  ]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

const killer = KILLERS[name];
if (killer === undefined) throw new Error(`no killer is called ${name}`);
/** For what is begun before the time is over: a killer that is called off kills nobody. */
const GRACE_MS = 10_000;
const time = new AbortController();
const patience = new AbortController();
/** All connections take a while to be opened. */
const OPENING_MS = killer.connections;
setTimeout(() => time.abort(), ms + OPENING_MS);
const grace = setTimeout(() => patience.abort(), ms + OPENING_MS + GRACE_MS);
await Promise.all(
  Array.from({ length: killer.connections }, async (_, index) => {
    do {
      await attack(killer, index, killer.holds === true || killer.reads !== undefined ? time.signal : patience.signal);
      await sleep(1);
    } while (!time.signal.aborted);
  }),
);
clearTimeout(grace);
parentPort?.postMessage(statuses);
