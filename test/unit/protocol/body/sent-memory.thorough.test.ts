import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LeanTransport } from '../../../../adapters/shared/wire/lean-transport.ts';
import type { WireRequest } from '../../../../adapters/shared/wire/transport.ts';
import { readBuffers } from '../../../../src/streams/read-buffers.ts';
import { Random } from '../../../support/random.ts';
import { STREAMED, type TestBody, digest, framed, plain, requestBody } from './bodies.ts';

const SIZE = 6 * 1024 * 1024;

/** A service that keeps the body of the one request it gets. */
async function service(): Promise<{ origin: string; received: Promise<Buffer> }> {
  const { promise: received, resolve } = Promise.withResolvers<Buffer>();
  const server = createTcpServer((socket) => {
    const chunks: Buffer[] = [];
    let missing = SIZE;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const head = chunks.length === 0 ? chunk.indexOf('\r\n\r\n') + 4 : 0;
      chunks.push(chunk.subarray(head));
      missing -= chunk.length - head;
      if (missing > 0) return;
      resolve(Buffer.concat(chunks));
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Sends the body to node:http and from there to the service. The chunks in which node:http delivered it. */
async function through(body: TestBody, origin: string): Promise<Buffer[]> {
  const to = new LeanTransport({ origin, maxIdle: 1, connectTimeout: 5000, idleTimeout: 5000, keepAlive: 5000 });
  const lend = vi.spyOn(readBuffers, 'lend');
  const done = Promise.withResolvers<undefined>();
  const forward = async (request: IncomingMessage): Promise<void> => {
    const opened = await requestBody(body, { source: request }).open(STREAMED);
    if (opened.kind !== 'streamed') throw new Error(opened.kind);
    const wire: WireRequest = { method: 'PUT', path: '/', headers: [], responseTimeout: 5000, body: opened };
    await to.send(wire, new AbortController().signal);
  };
  const server = createServer((request) => {
    forward(request).then(() => done.resolve(undefined), done.reject);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const [wire = Buffer.alloc(0)] = body.wire;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(async () => {
    lend.mockRestore();
    client.destroy();
    server.close();
    await to.close();
  });
  client.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${wire.length}\r\n\r\n`);
  client.write(wire);
  await done.promise;
  return lend.mock.calls.map(([chunk]) => chunk);
}

function cut(bytes: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 8192 + random.below(random.oneIn(3) ? 300_000 : 9_000);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

it.each(['plain', 'streaming-signed', 'streaming-unsigned-trailer'] as const)(
  'memory that Node read a body into is free when the body was sent, and no byte of it is another: %s',
  async (kind) => {
    const random = new Random(7);
    const all = randomBytes(SIZE);
    const body = kind === 'plain' ? plain(all) : framed({ kind, chunks: cut(all, random) });
    const { origin, received } = await service();
    const chunks = await through(body, origin);
    expect(digest('sha256', await received)).toBe(digest('sha256', all));
    const free = chunks.filter((chunk) => chunk.length === 0).length;
    expect(chunks.length).toBeGreaterThan(SIZE / (64 * 1024) / 2);
    expect(free).toBeGreaterThan(0.9 * chunks.length);
  },
);
