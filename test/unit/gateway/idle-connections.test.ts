import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { IdleConnections } from '../../../src/gateway/idle-connections.ts';

const SIZE = 32 * 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server = undefined;
});

async function serving(size: number): Promise<{ port: number; server: Server; idle: IdleConnections }> {
  const made = createServer((_request, response) => response.end(Buffer.alloc(size)));
  server = made;
  const idle = new IdleConnections(made);
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return { port: (made.address() as AddressInfo).port, server: made, idle };
}

it('an answer that the client has not taken yet is not cut off', async () => {
  const { port, server, idle } = await serving(SIZE);
  const client = connect(port, '127.0.0.1').pause();
  client.write(REQUEST);
  await sleep(200);
  server.close();
  idle.destroy();
  let bytes = 0;
  client.on('data', (chunk) => (bytes += chunk.length)).resume();
  await expect.poll(() => bytes).toBeGreaterThan(SIZE);
  client.destroy();
});

it('a connection between two requests ends', async () => {
  const { port, server } = await serving(5);
  const client = connect(port, '127.0.0.1');
  client.write(REQUEST);
  await once(client, 'data');
  await sleep(50);
  server.close();
  await once(client, 'close');
});

it('the head of a request that has begun is waited for', async () => {
  const { port, server } = await serving(5);
  const client = connect(port, '127.0.0.1');
  client.write(REQUEST);
  await once(client, 'data');
  client.write(REQUEST.slice(0, 10));
  await sleep(100);
  server.close();
  client.write(REQUEST.slice(10));
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString('latin1')).toContain('200 OK');
  client.destroy();
});
