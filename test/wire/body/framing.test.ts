import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { perform } from '../../../src/operations/perform.ts';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

const MIB = 1024 * 1024;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    stalls: { idleMs: 2000, minimumRate: 1000, rateWindowMs: 3000 },
    headersMs: 1000,
  });
  await roundTrip(gateway.port, signedHead({ method: 'PUT', target: '/bucket', headers: { 'content-length': '0' } }));
});

afterAll(() => gateway.close());

function putHead(key: string, headers: Record<string, string>, secretKey?: string): string {
  return signedHead({
    method: 'PUT',
    target: `/bucket/${key}`,
    headers,
    ...(secretKey !== undefined && { secretKey }),
  });
}

async function status(key: string): Promise<number> {
  return (await roundTrip(gateway.port, signedHead({ method: 'HEAD', target: `/bucket/${key}` }), 'HEAD')).status;
}

describe('Expect: 100-continue', () => {
  test('is answered once the request is authenticated and its body wanted', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(putHead('expected', { 'content-length': '5', expect: '100-continue' }));
    await sleep(100);
    expect(connection.pending).toMatch(/^HTTP\/1\.1 100 /);
    connection.send('hello');
    const answer = await connection.answer();
    expect([answer.interim, answer.status]).toEqual([[100], 200]);
    connection.close();
  });

  test('a refused request gets its error and no 100', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(putHead('refused', { 'content-length': '5', expect: '100-continue' }, 'a wrong secret'));
    const answer = await connection.answer();
    expect([answer.interim, answer.status, answer.headers['connection']]).toEqual([[], 403, 'close']);
    await connection.closed();
    expect(await status('refused')).toBe(404);
  });

  test('a bucket that does not exist needs no body either', async () => {
    const head = signedHead({
      method: 'PUT',
      target: '/missing-bucket/key',
      headers: { 'content-length': '5', expect: '100-continue' },
    });
    const answer = await roundTrip(gateway.port, head);
    expect([answer.interim, answer.status]).toEqual([[], 404]);
  });

  test.each([
    {
      name: 'a document that is refused',
      method: 'PUT',
      target: '/slow/?versioning',
      body: '<Versioning/>',
      expected: 400,
    },
    {
      name: 'a document that is answered by one',
      method: 'POST',
      target: '/slow/?delete',
      body: '<Delete><Object><Key>k</Key></Object></Delete>',
      expected: 200,
    },
    { name: 'an object', method: 'PUT', target: '/slow/key', body: 'hello', expected: 200 },
  ])('behind an answer that is not whole yet: $name', async ({ method, target, body, expected }) => {
    const slow = await startTestGateway({
      operations: {
        ListBuckets: {
          withoutBucket: async (request, context) => {
            await sleep(200);
            return OPERATIONS.ListBuckets === undefined
              ? { status: 500 }
              : perform(OPERATIONS.ListBuckets, request, context);
          },
        },
      },
    });
    const connection = await RawConnection.open(slow.port);
    try {
      await roundTrip(slow.port, signedHead({ method: 'PUT', target: '/slow', headers: { 'content-length': '0' } }));
      const md5 = createHash('md5').update(body).digest('base64');
      connection.send(
        signedHead({ target: '/' }) +
          signedHead({
            method,
            target,
            headers: { 'content-length': String(body.length), 'content-md5': md5, expect: '100-continue' },
          }) +
          body,
      );
      expect((await connection.answer()).status).toBe(200);
      const answer = await connection.answer();
      expect([answer.interim, answer.status, answer.body.includes('HTTP/1.1')]).toEqual([[100], expected, false]);
      connection.send(signedHead({ target: '/slow?location' }));
      expect((await connection.answer()).status).toBe(200);
    } finally {
      connection.close();
      await slow.close();
    }
  });
});

describe('an error before the body was read', () => {
  test('a small rest is read away and the connection lives on', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(putHead('small', { 'content-length': '10000' }, 'a wrong secret') + 'x'.repeat(10_000));
    expect((await connection.answer()).status).toBe(403);
    connection.send(signedHead({ target: '/bucket?location' }));
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  test('a client that is sending much more sees the answer, then the end', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(putHead('large', { 'content-length': String(1024 * MIB) }, 'a wrong secret'));
    connection.send(Buffer.alloc(2 * MIB));
    const answer = await connection.answer();
    expect([answer.status, answer.headers['connection']]).toEqual([403, 'close']);
    await connection.closed();
    expect(await status('large')).toBe(404);
  });

  test('a client that never sends its small rest loses the connection', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(putHead('silent', { 'content-length': '10000' }, 'a wrong secret'));
    expect((await connection.answer()).status).toBe(403);
    await connection.closed();
  });
});

describe('bodies that go wrong', () => {
  test('shorter than declared', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(`${putHead('short', { 'content-length': '100' })}only this`);
    await sleep(100);
    connection.close();
    await sleep(100);
    expect(await status('short')).toBe(404);
    expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('no length at all, and more than is held in memory', async () => {
    const chunk = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`;
    const answer = await roundTrip(
      gateway.port,
      `${putHead('endless', { 'transfer-encoding': 'chunked' })}${chunk}${chunk}0\r\n\r\n`,
    );
    expect([answer.status, answer.body]).toEqual([411, expect.stringContaining('<Code>MissingContentLength</Code>')]);
    expect(await status('endless')).toBe(404);
  });

  test('no length at all, but small', async () => {
    const answer = await roundTrip(
      gateway.port,
      `${putHead('unmeasured', { 'transfer-encoding': 'chunked' })}5\r\nhello\r\n0\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
    expect((await roundTrip(gateway.port, signedHead({ target: '/bucket/unmeasured' }))).body).toBe('hello');
  });

  test('a client that stops in the midst of its body', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(`${putHead('stopped', { 'content-length': '100' })}then nothing`);
    const answer = await connection.answer();
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('<Code>RequestTimeout</Code>')]);
    await connection.closed();
    expect(await status('stopped')).toBe(404);
  });

  test('a client that trickles', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(putHead('trickle', { 'content-length': '100000' }));
    const drip = setInterval(() => connection.send('x'), 200);
    const answer = await connection.answer();
    clearInterval(drip);
    expect(answer.body).toContain('<Code>RequestTimeout</Code>');
    connection.close();
  });

  test('a head that never ends', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send('GET /bucket HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    const answer = await connection.answer();
    expect(answer.status).toBe(400);
    await connection.closed();
  });
});

describe('answers', () => {
  test('PUT without answer body, GET, HEAD and 304', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(`${putHead('whole', { 'content-length': '5' })}hello`);
    const put = await connection.answer();
    expect([put.status, put.headers['content-length'], put.headers['content-type']]).toEqual([200, '0', undefined]);
    connection.send(signedHead({ target: '/bucket/whole' }));
    const get = await connection.answer();
    expect([get.body, get.headers['content-length'], get.headers['etag']]).toEqual(['hello', '5', put.headers['etag']]);
    connection.send(signedHead({ method: 'HEAD', target: '/bucket/whole' }));
    const head = await connection.answer('HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, '5']);
    connection.send(signedHead({ target: '/bucket/whole', headers: { 'if-none-match': put.headers['etag'] ?? '' } }));
    const same = await connection.answer();
    expect([same.status, same.headers['content-length'], same.headers['content-type']]).toEqual([
      304,
      undefined,
      undefined,
    ]);
    connection.send(signedHead({ method: 'DELETE', target: '/bucket/whole' }));
    const removed = await connection.answer();
    expect([removed.status, removed.headers['content-length']]).toEqual([204, undefined]);
    connection.close();
  });

  test('a body of 32 MiB there and back', async () => {
    const body = Buffer.alloc(32 * MIB, 'abc');
    const put = await RawConnection.open(gateway.port);
    put.send(putHead('big', { 'content-length': String(body.length) }));
    put.send(body);
    expect((await put.answer()).status).toBe(200);
    put.close();
    const got = await roundTrip(gateway.port, signedHead({ target: '/bucket/big' }));
    expect(got.body === body.toString()).toBe(true);
  });

  test('requests sent one behind the other are answered in order', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(
      signedHead({ target: '/bucket?location' }) +
        signedHead({ target: '/bucket/none' }) +
        signedHead({ target: '/bucket?location' }),
    );
    expect([
      (await connection.answer()).status,
      (await connection.answer()).status,
      (await connection.answer()).status,
    ]).toEqual([200, 404, 200]);
    connection.close();
  });
});

describe('any other expectation', () => {
  test('is ignored, as S3 does', async () => {
    const answer = await roundTrip(
      gateway.port,
      `${putHead('odd-expectation', { 'content-length': '5', expect: '200-ok' })}hello`,
    );
    expect([answer.interim, answer.status]).toEqual([[], 200]);
    expect(await status('odd-expectation')).toBe(200);
  });
});
