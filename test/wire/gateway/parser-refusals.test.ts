import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type At, RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { testCall } from '../../support/test-call.ts';
import { tlsMaterial } from '../../support/certificates.ts';

/* What Node's parser refuses, before or behind requests that it took. */

const LARGE = 24 * 1024 * 1024;
const BAD_LINE = 'Bad Line: x\r\n';
const HEADERS_MS = 1500;

describe.each([['http'], ['https']])('refusals of the parser over %s', (scheme) => {
  let gateway: TestGateway;
  let at: At;

  beforeAll(async () => {
    const tls = scheme === 'https';
    gateway = await startTestGateway({ headersMs: HEADERS_MS, ...(tls && { tls: await tlsMaterial() }) });
    at = { port: gateway.port, tls };
    expect(
      (await roundTrip(at, signedHead({ method: 'PUT', target: '/parser', headers: { 'content-length': '0' } })))
        .status,
    ).toBe(200);
    const large = { container: 'parser', name: 'large' };
    await gateway.store.write(large, Buffer.alloc(LARGE, 'x'), { metadata: {} }, testCall());
  }, 180_000);
  afterAll(() => gateway.close());

  /** A signed request whose head has a line that no parser takes. */
  function spoilt(method: string, target = '/parser/x'): string {
    return `${signedHead({ method, target }).slice(0, -2)}${BAD_LINE}\r\n`;
  }

  /** Everything that comes until the gateway closes the connection. */
  async function allAnswersTo(...sent: readonly string[]): Promise<string> {
    const connection = await RawConnection.open(at);
    for (const [index, text] of sent.entries()) {
      if (index > 0) await sleep(50);
      connection.send(text);
    }
    await connection.closed();
    return connection.pending;
  }

  const EMPTY_400 = /^HTTP\/1\.1 400 [^]*Connection: close\r\n\r\n$/;
  const FULL_400 = /^HTTP\/1\.1 400 [^]*<Code>BadRequest<\/Code>[^]*<\/Error>$/;

  test.each([
    ['a bad line', () => spoilt('HEAD')],
    [
      'two lengths',
      () =>
        signedHead({ method: 'HEAD', target: '/parser/x' }).replace(
          '\r\n\r\n',
          '\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        ),
    ],
    ['a byte that no target has', () => 'HEAD /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'a length and chunks',
      () =>
        signedHead({
          method: 'HEAD',
          target: '/parser/x',
          headers: { 'content-length': '3', 'transfer-encoding': 'chunked' },
        }),
    ],
    ['empty lines before it', () => `\r\n\r\n${spoilt('HEAD')}`],
  ])('a HEAD with %s is answered without a body', async (_what, bytes) => {
    const text = await allAnswersTo(bytes());
    expect(text).toMatch(EMPTY_400);
    expect(text).not.toMatch(/content-length/i);
  });

  test('a HEAD whose body cannot be parsed is answered without one, if it was not answered before', async () => {
    const head = signedHead({ method: 'HEAD', target: '/parser/x', headers: { 'transfer-encoding': 'chunked' } });
    const text = await allAnswersTo(`${head}nonsense\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d [^]*\r\n\r\n$/);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test.each(['GET', 'PUT', 'DELETE', 'POST'])('a %s gets the error as a document', async (method) => {
    expect(await allAnswersTo(spoilt(method))).toMatch(FULL_400);
  });

  test('what was asked before on the connection is answered before, with or without a body', async () => {
    const list = signedHead({ target: '/parser?location' });
    for (const [method, pattern] of [
      ['HEAD', EMPTY_400],
      ['GET', FULL_400],
    ] as const) {
      for (const sent of [[list + spoilt(method)], [list, spoilt(method)]]) {
        const text = await allAnswersTo(...sent);
        expect(text).toMatch(/^HTTP\/1\.1 200 /);
        expect(text.slice(text.indexOf('HTTP/1.1 400'))).toMatch(pattern);
        expect(text.match(/HTTP\/1\.1/g)).toHaveLength(2);
      }
    }
  });

  test('a body that looks like a HEAD makes no HEAD of a PUT', async () => {
    const head = signedHead({ method: 'PUT', target: '/parser/x', headers: { 'transfer-encoding': 'chunked' } });
    expect(await allAnswersTo(`${head}9\r\nHEAD / H\r\n\r\nnonsense`)).toMatch(
      /^HTTP\/1\.1 4[^]*<Error>[^]*<\/Error>$/,
    );
  });

  test.each([
    ['nonsense', `GET / HTTP/1.1\r\n${BAD_LINE}\r\n`, 'BadRequest'],
    ['a head that never ends', 'GET / HTTP/1.1\r\nHost: ', 'RequestTimeout'],
  ])('nothing is written into an answer that is under way when %s comes behind it', async (_what, behind, code) => {
    const connection = await RawConnection.open(at);
    connection.pause();
    connection.send(signedHead({ target: '/parser/large' }));
    await sleep(300);
    connection.send(behind);
    await sleep(2 * HEADERS_MS);
    connection.resume();
    const { status, body } = await connection.answer();
    expect([status, body.length, body.replaceAll('x', '')]).toEqual([200, LARGE, '']);
    const next = await connection.answer();
    expect([next.status, next.body]).toEqual([400, expect.stringContaining(`<Code>${code}</Code>`)]);
    await connection.closed();
  });

  test('an answer to a request whose body breaks is cut off, not filled up', async () => {
    const connection = await RawConnection.open(at);
    connection.pause();
    connection.send(
      signedHead({ target: '/parser/large', headers: { 'transfer-encoding': 'chunked' } }) + '5\r\nhello\r\n',
    );
    await sleep(300);
    connection.send('nonsense\r\n');
    await sleep(300);
    connection.resume();
    await connection.closed();
    const [, ...later] = connection.pending.split('HTTP/1.1 ');
    expect(later).toHaveLength(1);
    expect(connection.pending.length).toBeLessThan(LARGE);
  });
});
