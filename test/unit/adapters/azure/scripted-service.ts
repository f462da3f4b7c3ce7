import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createAzureStore } from '../../../../adapters/azure/create.ts';
import type { AzureStoreOptions } from '../../../../adapters/azure/index.ts';
import { createTransport } from '../../../../adapters/shared/wire/split-transport.ts';
import { UndiciTransport } from '../../../../adapters/shared/wire/undici-transport.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';
import type { StoreError } from '../../../../src/store/store-error.ts';

/** The ways to the network that stores use: the usual one, and the one that also knows proxies, for all requests. */
export const WIRES = { usual: createTransport, undici: (options: ConstructorParameters<typeof UndiciTransport>[0]) => new UndiciTransport(options) };
export type Wire = keyof typeof WIRES;

/** What the service does with the request it just got; `request` is all that has come so far. */
export type Turn = (socket: Socket, request: string) => void;

export interface Service {
  readonly store: BlobStore;
  readonly requests: string[];
  readonly sockets: Set<Socket>;
  readonly server: Server;
  stop(): Promise<void>;
}

/** A service on a raw socket that takes one turn per request head, in the order given; the last one again and again. */
export async function serve(wire: Wire, turns: readonly Turn[], options: Partial<AzureStoreOptions> = {}): Promise<Service> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (!/^(GET|HEAD|PUT|POST|DELETE) \S+ HTTP/.test(text)) return;
      const turn = turns[Math.min(requests.push(text), turns.length) - 1];
      turn?.(socket, text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const storeOptions: AzureStoreOptions = {
    endpoint: `http://127.0.0.1:${address.port}/account`,
    credential: { kind: 'accountKey', key: Buffer.alloc(32, 7).toString('base64') },
    retries: { baseDelay: 1, maxDelay: 5 },
    ...options,
  };
  const store = createAzureStore(storeOptions, WIRES[wire]);
  const stop = async (): Promise<void> => {
    await store.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { store, requests, sockets, server, stop };
}

export function answer(status: string, headers = '', body = ''): Turn {
  return (socket) => socket.write(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
}

export const reset: Turn = (socket) => socket.destroy();
export const silence: Turn = () => undefined;
export const busy = answer('503 Server Busy', 'x-ms-error-code: ServerBusy\r\n');

export async function failure(work: Promise<unknown>): Promise<StoreError> {
  const outcome = await work.then(
    () => 'no error',
    (error: unknown) => error,
  );
  if (isStoreError(outcome)) return outcome;
  throw new Error(`not a StoreError: ${String(outcome)}`);
}
