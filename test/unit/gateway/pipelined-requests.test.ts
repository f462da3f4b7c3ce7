import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { IdleConnections } from '../../../src/gateway/idle-connections.ts';
import { watchParsers } from '../../../src/gateway/node-parser.ts';
import { PipelinedRequests } from '../../../src/gateway/pipelined-requests.ts';

const PUT = (target: string): string => `PUT ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`;

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
async function sent(targets: readonly string[]): Promise<{
  readonly begun: Served[];
  readonly client: Socket;
  readonly idle: IdleConnections;
  /** Requests that Node's parser has handed out. */
  readonly handedOut: () => number;
}> {
  const begun: Served[] = [];
  let handedOut = 0;
  const pipelined = new PipelinedRequests();
  server = createServer(pipelined.inTurn((request, response) => void begun.push({ request, response })));
  server.prependListener('request', () => void (handedOut += 1));
  watchParsers(server, () => undefined);
  const idle = new IdleConnections(server, pipelined.goOn);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // A connection that is ended may be reset.
  client.setEncoding('latin1').on('error', () => undefined);
  client.write(targets.map(PUT).join(''));
  await expect.poll(() => begun.length).toBeGreaterThan(0);
  return { begun, client, idle, handedOut: () => handedOut };
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
  const { request, response } = begun[0] as Served;
  client.destroy();
  await once(client, 'close');
  // Not `once` of node:events: a connection that is reset has closed as well.
  const closed = new Promise((resolve) => request.socket.once('close', resolve));
  response.end('too late');
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

it('more requests than may wait end the connection, and nothing behind them is parsed', async () => {
  const few = await sent(Array.from({ length: 21 }, (_none, at) => `/${String(at)}`));
  await expect.poll(few.handedOut).toBe(21);
  expect(few.client.destroyed).toBe(false);
  few.client.destroy();
  const many = await sent(Array.from({ length: 5000 }, (_none, at) => `/${String(at)}`));
  many.client.resume();
  await expect.poll(() => many.client.destroyed).toBe(true);
  expect(targetsOf(many.begun)).toEqual(['/0']);
  expect(many.handedOut()).toBe(22);
});

it('while 1,000 wait on all connections, one more ends its connection; those of a connection that closes count no more', async () => {
  const { begun, client, handedOut } = await sent(['/1']);
  const { localPort: port = 0 } = (begun[0] as Served).request.socket;
  const crowd = Array.from({ length: 50 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  for (const one of crowd) one.write(Array.from({ length: 21 }, (_none, at) => PUT(`/${String(at)}`)).join(''));
  await expect.poll(handedOut).toBe(1 + 50 * 21);
  const other = connect(port, '127.0.0.1').on('error', () => undefined);
  other.resume().write(PUT('/begun') + PUT('/refused'));
  await expect.poll(() => other.destroyed).toBe(true);
  expect(targetsOf(begun)).toHaveLength(1 + 50 + 1);
  const { socket } = (begun[1] as Served).request;
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  client.write(PUT('/2') + PUT('/3'));
  await expect.poll(handedOut).toBe(1 + 50 * 21 + 2 + 2);
  expect(begun[0]?.request.socket.destroyed).toBe(false);
  for (const one of crowd) one.destroy();
});

it('a connection is not read while a request waits, and is read again behind it', async () => {
  const { begun, client } = await sent(['/1', '/2']);
  const { socket } = (begun[0] as Served).request;
  const before = socket.bytesRead;
  client.write(PUT('/3'));
  await sleep(100);
  expect(socket.bytesRead).toBe(before);
  for (const at of [0, 1, 2]) {
    await expect.poll(() => begun.length).toBe(at + 1);
    begun[at]?.response.end();
  }
  expect(targetsOf(begun)).toEqual(['/1', '/2', '/3']);
});
