import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { StoreError } from '../../../src/store/store-error.ts';

/** What the service does with the request it just got; `request` is all that has come so far. */
export type Turn = (socket: Socket, request: string) => void;

export interface ScriptedPeer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly requests: string[];
  readonly sockets: Set<Socket>;
  readonly server: Server;
  stop(): unknown;
}

/** A service on a raw socket that takes one turn per request head, in the order given; the last one again and again. */
export async function listen(turns: readonly Turn[]): Promise<ScriptedPeer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (!/^(GET|HEAD|PUT|POST|PATCH|DELETE) \S+ HTTP/.test(text)) return;
      const turn = turns[Math.min(requests.push(text), turns.length) - 1];
      turn?.(socket, text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { origin: `http://127.0.0.1:${address.port}`, requests, sockets, server, stop };
}

export function answer(status: string, headers = '', body = ''): Turn {
  return (socket) =>
    socket.write(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The head of an answer, and of its body only so many bytes; then the connection is reset, or stays as it is. */
export function cutAnswer(status: string, { headers = '', body = '', after = 0, then = 'reset' }: CutAnswer): Turn {
  return (socket) => {
    socket.write(
      `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, after)}`,
    );
    // Later, lest the reset should overtake the head.
    if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
  };
}

interface CutAnswer {
  readonly headers?: string;
  readonly body?: string;
  readonly after?: number;
  readonly then?: 'reset' | 'silence';
}

export const reset: Turn = (socket) => socket.destroy();
export const silence: Turn = () => undefined;

export async function failure(work: Promise<unknown>): Promise<StoreError> {
  const outcome = await work.then(
    () => 'no error',
    (error: unknown) => error,
  );
  if (isStoreError(outcome)) return outcome;
  throw new Error(`not a StoreError: ${String(outcome)}`);
}
