import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type * as HeadBounds from '../../../src/gateway/head-bounds.ts';
import { seeLine } from '../../../src/gateway/head-bounds.ts';
import { IdleConnections } from '../../../src/gateway/idle-connections.ts';
import { PipelinedRequests } from '../../../src/gateway/pipelined-requests.ts';

vi.mock('../../../src/gateway/head-bounds.ts', async (original) => {
  const bounds = await original<typeof HeadBounds>();
  return { ...bounds, seeLine: vi.fn<typeof seeLine>(bounds.seeLine) };
});

interface Served {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  client?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** A server whose requests wait for the test to answer them, and a client that has sent these targets at once. */
async function sent(targets: readonly string[]): Promise<{ begun: Served[]; client: Socket; idle: IdleConnections }> {
  const begun: Served[] = [];
  const pipelined = new PipelinedRequests();
  server = createServer(pipelined.inTurn((request, response) => void begun.push({ request, response })));
  const idle = new IdleConnections(server, pipelined.goOn);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.setEncoding('latin1');
  client.write(targets.map((target) => `PUT ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`).join(''));
  await expect.poll(() => begun.length).toBeGreaterThan(0);
  return { begun, client, idle };
}

const targetsOf = (begun: readonly Served[]): (string | undefined)[] => begun.map(({ request }) => request.url);

it('a request begins when the answer before it is over', async () => {
  const { begun, client } = await sent(['/1', '/2', '/3']);
  for (const [at, expected] of [['/1'], ['/1', '/2'], ['/1', '/2', '/3']].entries()) {
    await expect.poll(() => targetsOf(begun)).toEqual(expected);
    const answered = once(client, 'data');
    begun[at]?.response.end(String(at));
    await answered;
  }
});

it('a request behind an answer that ends the connection is never begun', async () => {
  const { begun, client } = await sent(['/1', '/2']);
  const closed = once(client, 'close');
  begun[0]?.response.setHeader('connection', 'close').end();
  client.resume();
  await closed;
  expect(targetsOf(begun)).toEqual(['/1']);
});

it('a request whose client has gone is never begun', async () => {
  const { begun, client } = await sent(['/1', '/2']);
  const { response } = begun[0] as Served;
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  expect(targetsOf(begun)).toEqual(['/1']);
});

it('a connection with a request that waited is not idle', async () => {
  const { begun, client, idle } = await sent(['/1', '/2']);
  begun[0]?.response.end('first');
  await expect.poll(() => targetsOf(begun)).toEqual(['/1', '/2']);
  idle.destroy();
  const answered = once(client, 'data');
  begun[1]?.response.end('second');
  expect(String(await answered)).toContain('first');
  let heard = '';
  client.on('data', (text: string) => (heard += text));
  await expect.poll(() => heard).toContain('second');
});

it('more requests than may wait end the connection', async () => {
  const few = await sent(Array.from({ length: 101 }, (_none, at) => `/${String(at)}`));
  expect(few.client.destroyed).toBe(false);
  few.client.destroy();
  vi.mocked(seeLine).mockClear();
  const many = await sent(Array.from({ length: 5000 }, (_none, at) => `/${String(at)}`));
  many.client.resume().on('error', () => undefined);
  await expect.poll(() => many.client.destroyed).toBe(true);
  expect(targetsOf(many.begun)).toEqual(['/0']);
  expect(seeLine).toHaveBeenCalledTimes(100);
});
