import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer as createTcpServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { LeanTransport } from '../../../../../../adapters/shared/wire/lean-transport.ts';
import type { LeanTransportOptions } from '../../../../../../adapters/shared/wire/lean-transport.ts';
import type { Transport, WireMethod, WireResponse } from '../../../../../../adapters/shared/wire/transport.ts';
import { FairTransport, type FairTransportOptions } from '../../../../../../adapters/shared/wire/fair-transport.ts';
import { rawPeer } from '../../http1/raw-peer.ts';
import type { RawPeer } from '../../http1/raw-peer.ts';

/** Aborts nothing. */
export const NEVER = new AbortController().signal;

/** A server that answers what the test says, closed after the test. */
export async function peer(answer: (socket: Socket, count: number, connection: number) => void): Promise<RawPeer> {
  const made = await rawPeer(answer);
  onTestFinished(() => made.close());
  return made;
}

/** Closed after the test. */
export function transport(origin: string, options: Partial<LeanTransportOptions> = {}): LeanTransport {
  const made = new LeanTransport({
    origin,
    maxIdle: 4,
    connectTimeout: 30_000,
    idleTimeout: 5_000,
    keepAlive: 5_000,
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

/** The same with lanes; closed after the test. */
export function fairTransport(origin: string, options: Partial<FairTransportOptions> = {}): FairTransport {
  const made = new FairTransport({
    origin,
    maxConnections: 4,
    maxTransfers: 4,
    connectTimeout: 30_000,
    idleTimeout: 5_000,
    keepAlive: 5_000,
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

interface SendOptions {
  readonly body?: Uint8Array;
  readonly headers?: string[];
  readonly responseTimeout?: number;
  readonly signal?: AbortSignal;
  readonly holder?: string;
  readonly reading?: 'stream' | 'piece';
}

export function send(
  to: Transport,
  method: WireMethod,
  { signal, ...options }: SendOptions = {},
): Promise<WireResponse> {
  return to.send({ method, path: '/c/b?x=y', headers: [], responseTimeout: 5_000, ...options }, signal ?? NEVER);
}

export async function text(response: WireResponse): Promise<string> {
  return Buffer.from(await response.body.bytes(1_000_000)).toString();
}

/** `size` bytes that are not all the same, so that buffers mixed up or sent twice show. */
export function content(size: number): Buffer {
  return randomBytes(size);
}

export function digest(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A real HTTP server whose answers are what `pipeTo` writes, and a client that reads one of them. */
export async function throughHttp(
  response: WireResponse,
  onClient?: (socket: Socket) => void,
): Promise<{ received: Buffer; piped: Promise<void> }> {
  const { promise: piped, resolve, reject } = Promise.withResolvers<undefined>();
  piped.catch(() => undefined);
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { 'content-length': response.body.size });
    response.body.pipeTo(answer, NEVER).then(() => resolve(undefined), reject);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(async () => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  onClient?.(socket);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  const all = Buffer.concat(chunks);
  return { received: all.subarray(all.indexOf('\r\n\r\n') + 4), piped };
}

/** The peer's first connection is closed. */
export async function gone(server: RawPeer): Promise<void> {
  const [socket] = server.connections;
  // `once` of events would reject when the connection ends by a reset.
  if (socket?.closed === false) await new Promise((resolve) => socket.once('close', resolve));
}

/** A server that sends back whatever it gets; closed after the test. */
export async function echoPort(): Promise<{ port: number; host: string }> {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, host: '127.0.0.1' };
}
