import { afterEach, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway/gateway.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

let gateway: TestGateway;
let open: RawConnection[] = [];

afterEach(async () => {
  for (const connection of open) connection.close();
  open = [];
  await gateway.close();
});

async function start(options: TestGatewayOptions): Promise<void> {
  gateway = await startTestGateway(options);
}

async function connected(): Promise<RawConnection> {
  const connection = await RawConnection.open(gateway.port);
  open.push(connection);
  return connection;
}

/** Puts a bucket on its connection, so that it is known to be counted. */
async function used(name: string): Promise<RawConnection> {
  const connection = await connected();
  connection.send(signedHead({ method: 'PUT', target: `/${name}`, headers: { 'content-length': '0' } }));
  expect((await connection.answer('PUT')).status).toBe(200);
  return connection;
}

const list = (): string => signedHead({ target: '/' });

describe('connections beyond a number', () => {
  test.each([
    ['in all', { total: 2, perAddress: 0 }],
    ['from one address', { total: 0, perAddress: 2 }],
  ])('%s are answered 503 and closed, and nothing is done for them', async (_, connections) => {
    const refused: string[] = [];
    await start({ connections: { ...connections, refused: (address) => refused.push(address) } });
    const first = await used('one');
    await used('two');

    const third = await connected();
    third.send(signedHead({ method: 'PUT', target: '/three', headers: { 'content-length': '0' } }));
    const answer = await third.answer('PUT');
    expect([answer.status, answer.headers['connection'], answer.body]).toEqual([
      503,
      'close',
      expect.stringContaining('<Code>SlowDown</Code>') as string,
    ]);
    await third.closed();
    expect(refused).toHaveLength(1);

    first.send(list());
    expect((await first.answer()).body).not.toContain('three');
  });

  test('are let in again when others have left', async () => {
    await start({ connections: { total: 1, perAddress: 1 } });
    (await used('one')).close();
    await expect.poll(async () => (await roundTrip(gateway.port, list())).status).toBe(200);
    await expect.poll(async () => (await roundTrip(gateway.port, list())).status).toBe(200);
  });

  test('from a proxy that stands for many are counted in all only', async () => {
    await start({ connections: { total: 3, perAddress: 1, exempt: (address) => address === '127.0.0.1' } });
    for (const bucket of ['one', 'two', 'three']) await used(bucket);
    expect((await roundTrip(gateway.port, list())).status).toBe(503);
  });
});

test('a connection on which nothing comes is closed', async () => {
  await start({ headersMs: 300 });
  const silent = await connected();
  const slow = await connected();
  slow.send('GET / HTTP/1.1\r\nHost: ');
  await Promise.all([silent.closed(), slow.closed()]);
});

describe('request lines', () => {
  test.each([
    ['two blanks before the target', 'GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['two blanks behind it', 'GET /  HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['more of them', 'GET    /bucket/key     HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['two blanks behind a key', 'GET /bucket/key  HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['no version', 'GET /\r\n\r\n'],
    ['version 0.9', 'GET / HTTP/0.9\r\nHost: localhost\r\n\r\n'],
    ['version 2.0', 'GET / HTTP/2.0\r\nHost: localhost\r\n\r\n'],
    ['version 1.2', 'GET / HTTP/1.2\r\nHost: localhost\r\n\r\n'],
  ])('with %s are refused', async (_, head) => {
    await start({});
    const answer = await roundTrip(gateway.port, head);
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(/<Code>BadRequest<\/Code>/) as string]);
  });

  test('with two blanks are refused behind another request, when that has been answered', async () => {
    await start({});
    const connection = await connected();
    connection.send(`${list()}GET /bucket/key  HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect((await connection.answer()).status).toBe(200);
    const { status, body } = await connection.answer();
    expect([status, body]).toEqual([400, expect.stringContaining('<Code>BadRequest</Code>') as string]);
  });

  test('behind empty lines, behind another request, and in pieces are served', async () => {
    await start({});
    expect((await roundTrip(gateway.port, `\r\n\r\n${list()}`)).status).toBe(200);
    const connection = await connected();
    connection.send(`${list()}${list()}`);
    expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([200, 200]);
    const head = list();
    connection.send(head.slice(0, 3));
    await new Promise((resolve) => setTimeout(resolve, 30));
    connection.send(head.slice(3));
    expect((await connection.answer()).status).toBe(200);
  });
});
