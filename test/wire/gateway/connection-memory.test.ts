import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway/gateway.ts';
import { tlsMaterial } from '../../support/certificates.ts';

/*
 * What nobody has signed lies in a bounded memory, and the address that has the most of it goes first. Loopback has as
 * many addresses as are needed.
 */
const CROWD = '127.0.0.2';
const SOMEBODY = '127.0.0.3';
const KIB = 1024;
const ASK = 'GET /nothing/here HTTP/1.1\r\nHost: localhost\r\n\r\n';
const HALF_HEAD = `GET /nothing/here HTTP/1.1\r\nHost: localhost\r\nx-a: ${'a'.repeat(8000)}`;
const HALF_FORM = `POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=f\r\nContent-Length: 100000\r\n\r\n--f\r\nContent-Disposition: form-data; name="key"\r\n\r\n${'k'.repeat(5000)}`;
const HALF_TOKEN = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 20000\r\n\r\nAction=AssumeRole`;
const UNREAD = `PUT /nothing/here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(20_000)}`;

let gateway: TestGateway;
let open: Socket[] = [];

afterEach(async () => {
  for (const socket of open) socket.destroy();
  open = [];
  await gateway.close();
});

interface Client {
  readonly socket: Socket;
  readonly text: () => string;
}

function dial(from: string, tls = false): Client {
  const { port } = gateway;
  const plain = connect({ port, host: '127.0.0.1', localAddress: from });
  const socket = tls ? connectTls({ socket: plain, rejectUnauthorized: false }) : plain;
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1'))).on('error', () => undefined);
  open.push(plain, socket);
  return { socket, text: () => text };
}

function say(text: string, from: string, tls = false): Client {
  const client = dial(from, tls);
  client.socket.write(text);
  return client;
}

const closed = (clients: readonly Client[]): number => clients.filter(({ socket }) => socket.destroyed).length;

/** Operations that go on when the test is over, and read nothing. */
const waiting: TestGatewayOptions['operations'] = {
  PutObject: (_request, { call }) =>
    new Promise((_resolve, reject) => call.signal.addEventListener('abort', () => reject(new Error('over')))),
};

describe.each([
  ['half a head', HALF_HEAD],
  ['half a form', HALF_FORM],
  ['half a form for tokens', HALF_TOKEN],
  ['a body that nobody reads yet', UNREAD],
])('connections with %s', (_name, text) => {
  test.each([
    ['plain', false, 100],
    ['over TLS', true, 300],
  ])('have so much memory together, and somebody else is served all the same, %s', async (_kind, tls, kib) => {
    gateway = await startTestGateway({
      operations: waiting,
      connections: { total: 0, perAddress: 0, memoryBytes: kib * KIB },
      ...(tls && { tls: await tlsMaterial() }),
    });
    const crowd = Array.from({ length: 12 }, () => say(text, CROWD, tls));
    await expect.poll(() => closed(crowd)).toBeGreaterThan(6);
    const somebody = say(ASK, SOMEBODY, tls);
    await expect.poll(somebody.text).toMatch(/^HTTP\/1.1 40/);
  });
});

test('nobody counts what was read, or what is over', async () => {
  gateway = await startTestGateway({ connections: { total: 0, perAddress: 0, memoryBytes: 60 * KIB } });
  const client = say(HALF_HEAD, CROWD);
  for (let count = 0; count < 20; count += 1) {
    client.socket.write(`\r\n\r\n${HALF_HEAD}`);
    await expect.poll(() => client.text().split('HTTP/1.1 40').length - 1).toBe(count + 1);
  }
  expect(client.socket.destroyed).toBe(false);
});

describe('behind a proxy', () => {
  const forwarded = (text: string, client: string): string =>
    text.replace('\r\n', `\r\nX-Forwarded-For: ${client}\r\n`);

  test('a client has as many requests at a time as an address has connections', async () => {
    gateway = await startTestGateway({
      operations: waiting,
      trustedProxies: ['127.0.0.1'],
      connections: { total: 0, perAddress: 2, exempt: (address) => address === '127.0.0.1' },
    });
    const many = Array.from({ length: 3 }, () => say(forwarded(UNREAD, '192.0.2.7'), '127.0.0.1'));
    await expect.poll(() => many.filter(({ text }) => text().startsWith('HTTP/1.1 503')).length).toBe(1);
    const { status } = await roundTrip(gateway.port, forwarded(ASK, '192.0.2.8'));
    expect(status).toBe(404);
    many.find(({ text }) => text() === '')?.socket.destroy();
    await expect.poll(async () => (await roundTrip(gateway.port, forwarded(ASK, '192.0.2.7'))).status).toBe(404);
  });

  test('forms count for the client that it names', async () => {
    gateway = await startTestGateway({
      trustedProxies: ['127.0.0.1'],
      connections: { total: 0, perAddress: 0, memoryBytes: 400 * KIB, exempt: (address) => address === '127.0.0.1' },
    });
    const crowd = Array.from({ length: 16 }, () => say(forwarded(HALF_FORM, '192.0.2.7'), '127.0.0.1'));
    await expect.poll(() => closed(crowd)).toBeGreaterThan(0);
    const other = Array.from({ length: 3 }, () => say(forwarded(HALF_FORM, '192.0.2.8'), '127.0.0.1'));
    const { status } = await roundTrip(gateway.port, forwarded(ASK, '192.0.2.9'));
    expect([status, closed(other)]).toEqual([404, 0]);
  });
});
