import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface RawPeer {
  readonly origin: string;
  /** Heads (and small bodies) of the requests received, in order. */
  readonly requests: string[];
  /** Connections accepted so far. */
  readonly connections: Socket[];
  close(): Promise<void>;
}

/** A server that answers what the test says: `answer` is called once for each read that holds a request. */
export async function rawPeer(answer: (socket: Socket, count: number, connection: number) => void): Promise<RawPeer> {
  const requests: string[] = [];
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    const connection = connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => answer(socket, requests.push(data.toString('latin1')), connection));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections,
    async close() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export function ok(body: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`), Buffer.from(body)]);
}
