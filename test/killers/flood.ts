import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import type { Killer } from './killer.ts';
import { KILLERS } from './killers.ts';

/**
 * Runs one killer from an address of its own, in a thread of its own; posts how many answers there were of each status.
 */
const { name, port, ms } = workerData as { readonly name: string; readonly port: number; readonly ms: number };
const ADDRESS = '127.0.0.2';
const statuses: Record<string, number> = {};

async function attack(killer: Killer, index: number, signal: AbortSignal): Promise<void> {
  const socket = dial(killer);
  let head = '';
  socket
    .on('error', () => undefined)
    .on('data', (bytes) => {
      if (head.length < 64) head += bytes.toString('latin1', 0, 64);
    });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  try {
    await once(socket, killer.encrypted === true ? 'secureConnect' : 'connect', { signal });
    for (const piece of killer.pieces(index)) {
      if (!socket.destroyed && !socket.write(piece)) await drained(socket, signal);
    }
    if (killer.holds === true) {
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

function dial({ encrypted = false }: Killer): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESS });
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
setTimeout(() => time.abort(), ms);
const grace = setTimeout(() => patience.abort(), ms + GRACE_MS);
await Promise.all(
  Array.from({ length: killer.connections }, async (_, index) => {
    do {
      await attack(killer, index, killer.holds === true ? time.signal : patience.signal);
      await sleep(1);
    } while (!time.signal.aborted);
  }),
);
clearTimeout(grace);
parentPort?.postMessage(statuses);
