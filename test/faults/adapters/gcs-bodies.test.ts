import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { testCall } from '../../support/test-call.ts';
import { answer, cutAnswer, failure, reset, silence } from '../../unit/adapters/scripted-peer.ts';
import { busy, tooFast, unmet, written } from '../../unit/adapters/gcs/scripted-service.ts';
import { REF, stopAll, start, endless, resource } from './gcs-scene.ts';

afterEach(stopAll);

describe('streams', () => {
  test('a stream that fails gives its own error as the cause, and its length is never completed', async () => {
    let received = '';
    const cause = new Error('checksum differs');
    const stream = new Readable({ read: () => undefined });
    stream.push(Buffer.alloc(60_000, 'a'));
    stream.push(Buffer.alloc(40_000, 'b'));
    const take = (text: string): void => {
      received += text;
      // Once its first bytes are there.
      if (received.includes('aaa')) stream.destroy(cause);
    };
    const { store } = await start([
      (socket, text) => {
        socket.on('data', (data) => take(data.toString('latin1')));
        take(text);
      },
    ]);
    const error = await failure(store.write(REF, { size: 100_000, stream }, { metadata: {} }, testCall()));
    expect(error).toMatchObject({ kind: 'aborted', lost: false, detail: { cause } });
    const boundary = /boundary=(\w+)/.exec(received)?.[1] ?? 'none';
    expect(received).toContain(`--${boundary}\r\n`);
    expect(received).not.toContain(`--${boundary}--`);
    expect(received).not.toContain('bbb');
  });

  test('a content type that is no header value does not get into the framing', async () => {
    const { store, requests } = await start([written]);
    await store.write(
      REF,
      Buffer.from('x'),
      { metadata: {}, headers: { contentType: 'a/b\r\n\r\ninjected' } },
      testCall(),
    );
    expect(requests[0]).not.toContain('\r\n\r\ninjected');
    expect(requests[0]).toContain(String.raw`"contentType":"a/b\r\n\r\ninjected"`);
  });

  test('a refusal before the whole body was taken is heard', async () => {
    const { store } = await start([unmet]);
    const stream = endless(10_000);
    const error = await failure(store.write(REF, { size: 1_000_000_000, stream }, { metadata: {} }, testCall()));
    expect(error).toMatchObject({ kind: 'conditionFailed', lost: false });
    expect(stream.destroyed).toBe(true);
  });

  test('a connection that breaks under a stream is no failure of the stream', async () => {
    const { store } = await start([(socket) => setTimeout(() => socket.resetAndDestroy(), 20)]);
    const stream = endless(100_000);
    const error = await failure(store.write(REF, { size: 1_000_000_000, stream }, { metadata: {} }, testCall()));
    expect(error).toMatchObject({ kind: 'unavailable', lost: true });
    expect(stream.destroyed).toBe(true);
  });
});

describe('reads', () => {
  const meta = 'x-goog-generation: 17\r\nx-goog-metageneration: 2\r\nLast-Modified: Sat, 21 Nov 2026 10:00:00 GMT\r\n';

  test('are repeated, within the budget', async () => {
    const { store, requests } = await start([reset, busy, tooFast, resource]);
    expect((await store.head(REF, testCall())).size).toBe(5);
    expect(requests).toHaveLength(4);
    const hopeless = await start([busy]);
    expect((await failure(hopeless.store.head(REF, testCall()))).kind).toBe('throttled');
    expect(hopeless.requests).toHaveLength(4);
  });

  test.each([
    ['fewer bytes than are stored', '200 OK', 'x-goog-stored-content-length: 10\r\n', undefined],
    [
      'bytes that were packed on the way',
      '200 OK',
      'x-goog-stored-content-length: 10\r\nContent-Encoding: gzip\r\n',
      undefined,
    ],
    ['another range', '206 Partial Content', 'Content-Range: bytes 0-4/10\r\n', { first: 5, last: 9 }],
    ['a shorter range', '206 Partial Content', 'Content-Range: bytes 0-4/10\r\n', { first: 0, last: 9 }],
    ['all, though a range was asked for', '200 OK', 'x-goog-stored-content-length: 5\r\n', { first: 1, last: 2 }],
  ])('%s are refused', async (_what, status, headers, range) => {
    const { store } = await start([answer(status, meta + headers, 'hello')]);
    expect((await failure(store.read(REF, range === undefined ? {} : { range }, testCall()))).kind).toBe('unexpected');
  });

  test('a default of the service is no Cache-Control of the object', async () => {
    const { store } = await start([
      answer(
        '200 OK',
        `${meta}Cache-Control: private, max-age=0\r\nx-goog-stored-content-encoding: identity\r\n`,
        'hello',
      ),
    ]);
    const { properties, body } = await store.read(REF, {}, testCall());
    body.discard();
    expect(properties).toEqual({
      size: 5,
      revision: '17.2',
      lastModified: Date.parse('2026-11-21T10:00:00Z'),
      metadata: {},
    });
  });

  test('hashes come in one header or two, values beyond ASCII are UTF-8', async () => {
    const headers = `${meta}x-goog-hash: crc32c=mnG7TA==\r\nx-goog-hash: md5=XUFAKrxLKna5cZ2REBfFkg==\r\nx-goog-meta-name: ${Buffer.from('ü').toString('utf8')}\r\n`;
    const { store } = await start([answer('200 OK', headers, 'hello')]);
    const { properties, body } = await store.read(REF, {}, testCall());
    body.discard();
    expect(properties).toMatchObject({ md5: '5d41402abc4b2a76b9719d911017c592', metadata: { name: 'ü' } });
  });

  test('a document that breaks off is read again', async () => {
    const body = JSON.stringify({ size: '5', generation: '1700000000000000' });
    const { store, requests } = await start([cutAnswer('200 OK', { body, after: 9 }), resource]);
    const call = testCall();
    expect((await store.head(REF, call)).size).toBe(5);
    expect(requests).toHaveLength(2);
    expect(call.facts).toMatchObject({ backendCalls: 2, backendRetries: 1 });
  });

  test('a document that is none is unexpected', async () => {
    const { store } = await start([answer('200 OK', '', '<html>')]);
    expect((await failure(store.head(REF, testCall()))).kind).toBe('unexpected');
  });
});

test('close waits for cleaning up, but not for ever', async () => {
  const { store, requests } = await start([written, silence]);
  await store.assemble(REF, { tokens: ['a'], metadata: {} }, testCall());
  while (requests.length < 2) await sleep(2);
  const began = performance.now();
  await store.close();
  expect(performance.now() - began).toBeLessThan(3_000);
});
