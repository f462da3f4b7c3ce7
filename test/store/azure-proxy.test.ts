import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { freshContainer, startSecureAzurite } from '../support/backends/azurite.ts';
import type { SecureAzurite } from '../support/backends/azurite.ts';
import { testCall } from '../support/test-call.ts';

interface Proxy {
  readonly url: string;
  /** `host:port` of every tunnel asked for. */
  readonly tunnels: string[];
  stop(): void;
}

/** An HTTP proxy that does nothing but tunnels. */
async function startProxy(): Promise<Proxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', (request, client: Socket) => {
    tunnels.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${address.port}`, tunnels, stop };
}

let azurite: SecureAzurite;
let proxy: Proxy;

beforeAll(async () => {
  [azurite, proxy] = await Promise.all([startSecureAzurite(), startProxy()]);
});

afterAll(async () => {
  proxy.stop();
  await azurite.stop();
});

test('every call goes through the proxy, TLS end to end', async () => {
  const store = createAzureStore({ ...azurite.storeOptions, proxy: proxy.url });
  const container = freshContainer();
  const ref = { container, name: 'key' };
  await store.createContainer(container, {}, testCall());
  await store.write(ref, { size: 6, stream: Readable.from([Buffer.from('stream')]) }, { metadata: {} }, testCall());
  const { body } = await store.read(ref, {}, testCall());
  expect((await buffer(body.stream())).toString()).toBe('stream');
  await store.removeContainer(container, testCall());
  await store.close();
  expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(azurite.endpoint).host]));
});

test('no proxy there: unavailable, nothing sent', async () => {
  const store = createAzureStore({
    ...azurite.storeOptions,
    proxy: 'http://127.0.0.1:1',
    retries: { attempts: 2, baseDelay: 1 },
  });
  await expect(store.ping(testCall())).rejects.toMatchObject({ kind: 'unavailable' });
  await store.close();
});
