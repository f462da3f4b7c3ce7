import { connect as connectTls } from 'node:tls';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RequestFacts } from '../../../src/observe/request-facts.ts';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { tlsMaterial } from '../../support/certificates.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import { RawConnection } from '../../support/clients/raw-http.ts';
import { SILENT } from '../../support/silent-log.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

const CLIENT = '192.0.2.7';
const LINE = `PROXY TCP4 ${CLIENT} 10.0.0.1 8080 80\r\n`;
const BINARY = Buffer.from('0d0a0d0a000d0a515549540a2111000cc00002070a0000011f900050', 'hex');
const LOCAL = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex');
const HEADER_MS = 300;

let gateway: TestGateway | undefined;
const seen: { facts: RequestFacts[] } = { facts: [] };
const observers = new RequestObservers(SILENT);
observers.add({ ended: (facts) => void seen.facts.push(facts) });

async function start(options: Parameters<typeof startTestGateway>[0] = {}): Promise<TestGateway> {
  gateway = await startTestGateway({
    proxyProtocol: { ranges: ['127.0.0.1'], timeoutMs: HEADER_MS },
    observers,
    ...options,
  });
  return gateway;
}

beforeEach(() => {
  observers.flush();
  seen.facts = [];
});

async function ended(): Promise<void> {
  await gateway?.close();
  gateway = undefined;
}

const list = (headers: Readonly<Record<string, string>> = {}): string =>
  signedHead({ method: 'GET', target: '/', headers });

describe('from a balancer', () => {
  beforeAll(() => start());
  afterAll(ended);
  const port = (): number => gateway?.port ?? 0;

  test.each([
    ['line', Buffer.from(LINE)],
    ['binary', BINARY],
  ])('a %s names the client of every request on the connection', async (_name, header) => {
    const connection = await RawConnection.open(port());
    connection.send(Buffer.concat([header, Buffer.from(list())]));
    expect((await connection.answer()).status).toBe(200);
    connection.send(list());
    expect((await connection.answer()).status).toBe(200);
    connection.close();
    await expect.poll(() => seen.facts.map(({ clientAddress }) => clientAddress)).toEqual([CLIENT, CLIENT]);
  });

  test('it may come in pieces, and bodies after it', async () => {
    const connection = await RawConnection.open(port());
    for (const byte of Buffer.concat([
      BINARY,
      Buffer.from(signedHead({ method: 'PUT', target: '/proxied', headers: { 'content-length': '0' } })),
    ])) {
      connection.send(Buffer.from([byte]));
      if (byte === 0x0a) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect((await connection.answer()).status).toBe(200);
    const body = 'b'.repeat(300_000);
    connection.send(
      signedHead({ method: 'PUT', target: '/proxied/key', headers: { 'content-length': String(body.length) } }) + body,
    );
    expect((await connection.answer()).status).toBe(200);
    connection.send(signedHead({ method: 'GET', target: '/proxied/key' }));
    expect((await connection.answer()).body).toBe(body);
    connection.close();
  });

  test('its own checks are its own', async () => {
    const connection = await RawConnection.open(port());
    connection.send(Buffer.concat([LOCAL, Buffer.from(list())]));
    expect((await connection.answer()).status).toBe(200);
    connection.close();
    await expect.poll(() => seen.facts.map(({ clientAddress }) => clientAddress)).toEqual(['127.0.0.1']);
  });

  test.each([
    ['no header', list()],
    ['a malformed one', 'PROXY TCP4 nobody 10.0.0.1 1 2\r\n'],
    ['a binary one of absurd length', Buffer.from('0d0a0d0a000d0a515549540a2111ffff', 'hex')],
    ['two', LINE + LINE + list()],
  ])('%s ends the connection, and no request is served', async (_name, bytes) => {
    const connection = await RawConnection.open(port());
    connection.send(bytes);
    await connection.closed();
    expect(seen.facts).toEqual([]);
  });

  test('one that does not come ends the connection in time', async () => {
    const silent = await RawConnection.open(port());
    const slow = await RawConnection.open(port());
    const drip = setInterval(() => slow.send('P'), 50);
    slow.send('PROXY TCP4 ');
    await Promise.all([silent.closed(), slow.closed()]);
    clearInterval(drip);
  });
});

test('from anybody else it is refused', async () => {
  const { port } = await start({ proxyProtocol: { ranges: ['192.0.2.0/24'], timeoutMs: HEADER_MS } });
  for (const header of [Buffer.from(LINE), BINARY]) {
    const connection = await RawConnection.open(port);
    connection.send(Buffer.concat([header, Buffer.from(list())]));
    expect((await connection.answer()).status).toBe(405);
    await connection.closed();
  }
  const plain = await RawConnection.open(port);
  plain.send(list());
  expect((await plain.answer()).status).toBe(200);
  plain.close();
  await expect.poll(() => seen.facts.map(({ clientAddress }) => clientAddress)).toEqual(['127.0.0.1']);
  await ended();
});

test('forwarded headers count from proxies behind the balancer, not from its clients', async () => {
  const { port } = await start({ trustedProxies: [CLIENT] });
  for (const [header, address] of [
    [LINE, '198.51.100.9'],
    [LINE.replace(CLIENT, '192.0.2.8'), '192.0.2.8'],
  ] as const) {
    const connection = await RawConnection.open(port);
    connection.send(header + list({ 'x-forwarded-for': '198.51.100.9' }));
    expect((await connection.answer()).status).toBe(200);
    connection.close();
    await expect.poll(() => seen.facts.at(-1)?.clientAddress).toBe(address);
  }
  await ended();
});

test('limits count clients, not the balancer', async () => {
  const { port } = await start({ connections: { total: 100, perAddress: 1 } });
  const ask = async (address: string): Promise<{ connection: RawConnection; status: number }> => {
    const connection = await RawConnection.open(port);
    connection.send(LINE.replace(CLIENT, address) + list());
    return { connection, status: (await connection.answer()).status };
  };
  const answers = [await ask('192.0.2.1'), await ask('192.0.2.2'), await ask('192.0.2.1')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 503]);
  for (const { connection } of answers) connection.close();
  await ended();
});

test('over TLS it comes before the handshake', async () => {
  const { port } = await start({ tls: await tlsMaterial() });
  const raw = connect({ port, host: '127.0.0.1' });
  raw.write(BINARY);
  const socket = connectTls({ socket: raw, rejectUnauthorized: false });
  socket.write(list());
  const text = await new Promise<string>((resolve, reject) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString())).once('error', reject);
  });
  expect(text).toMatch(/^HTTP\/1.1 200/);
  socket.destroy();
  await expect.poll(() => seen.facts.map(({ clientAddress }) => clientAddress)).toEqual([CLIENT]);
  await ended();
});
