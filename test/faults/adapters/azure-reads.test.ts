import { once } from 'node:events';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { AzureStoreOptions } from '../../../adapters/azure/index.ts';
import { testCall } from '../../support/test-call.ts';
import { cutAnswer } from '../../unit/adapters/scripted-peer.ts';
import { answer, busy, failure, reset, serve, silence, WIRES } from '../../unit/adapters/azure/scripted-service.ts';
import type { Service, Turn, Wire } from '../../unit/adapters/azure/scripted-service.ts';

const REF = { container: 'bucket', name: 'key' };
const running: Service[] = [];

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((service) => service.stop()));
}

afterEach(stopAll);

const PROPERTIES = 'ETag: "0x1"\r\nLast-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\n';

describe.each(Object.keys(WIRES) as Wire[])('over the %s wire', (wire) => {
  const start = async (...[turns, options]: [readonly Turn[], Partial<AzureStoreOptions>?]): Promise<Service> => {
    const service = await serve(wire, turns, options);
    running.push(service);
    return service;
  };

  describe('reads', () => {
    test('are repeated after throttling, resets and answers of 500, and counted', async () => {
      const { store, requests } = await start([
        reset,
        busy,
        answer('500 Internal', 'x-ms-error-code: InternalError\r\n'),
        answer('200 OK', PROPERTIES),
      ]);
      const call = testCall();
      await store.head(REF, call);
      expect(requests).toHaveLength(4);
      expect(call.facts).toMatchObject({ backendCalls: 4, backendRetries: 3 });
    });

    test('end with the last error when the attempts are used up', async () => {
      const { store, requests } = await start(
        [answer('503 Busy', 'x-ms-error-code: ServerBusy\r\nRetry-After: 7\r\nx-ms-request-id: abc\r\n')],
        { retries: { baseDelay: 1, maxDelay: 5, attempts: 3 } },
      );
      const error = await failure(store.head(REF, testCall()));
      expect(error).toMatchObject({
        kind: 'throttled',
        lost: false,
        detail: { status: 503, code: 'ServerBusy', retryAfter: 7, backendRequestId: 'abc' },
      });
      expect(requests).toHaveLength(3);
    });

    test('stop being repeated when the budget of the store is spent', async () => {
      const { store, requests } = await start([busy], {
        retries: { baseDelay: 1, maxDelay: 2, attempts: 4, budget: 4 },
      });
      for (let i = 0; i < 5; i += 1) await failure(store.head(REF, testCall()));
      expect(requests).toHaveLength(5 + 4);
    });

    test('a pause before a repetition ends with the signal', async () => {
      const { store, requests } = await start([busy], { retries: { baseDelay: 60_000, maxDelay: 60_000 } });
      const stop = new AbortController();
      const error = failure(store.head(REF, testCall(stop.signal)));
      while (requests.length === 0) await sleep(2);
      await sleep(10);
      stop.abort();
      expect(await error).toMatchObject({ kind: 'aborted' });
    });

    test('an answer that does not come in time is unavailable', async () => {
      const { store } = await start([silence], { timeouts: { response: 100 }, retries: { attempts: 1 } });
      expect(await failure(store.head(REF, testCall()))).toMatchObject({ kind: 'unavailable' });
    });

    test.each([
      ['another range', 'bytes 0-4/10', { first: 5, last: 9 }],
      ['a shorter range', 'bytes 0-4/10', { first: 0, last: 9 }],
      ['a shorter range without an end', 'bytes 0-4/10', { first: 0 }],
    ])('%s than was asked for is refused', async (_what, contentRange, range) => {
      const { store } = await start([
        answer('206 Partial Content', `${PROPERTIES}Content-Range: ${contentRange}\r\n`, 'hello'),
      ]);
      expect(await failure(store.read(REF, { range }, testCall()))).toMatchObject({ kind: 'unexpected' });
    });

    test('a page whose connection breaks is read again', async () => {
      const page = '<EnumerationResults><Blobs></Blobs></EnumerationResults>';
      const { store, requests } = await start([
        cutAnswer('200 OK', { body: page, after: 30 }),
        answer('200 OK', '', page),
      ]);
      expect(await store.list('bucket', { limit: 10 }, testCall())).toEqual({ entries: [] });
      expect(requests).toHaveLength(2);
    });

    test('the list of containers goes on behind the marker of the page before', async () => {
      const page = (name: string, marker: string): string =>
        `<EnumerationResults><Containers><Container><Name>${name}</Name></Container></Containers>${marker}</EnumerationResults>`;
      const { store, requests } = await start([
        answer('200 OK', '', page('one', '<NextMarker>/account/t&amp;o</NextMarker>')),
        answer('200 OK', '', page('two', '<NextMarker />')),
      ]);
      const { nextToken } = await store.listContainers(undefined, testCall());
      expect((await store.listContainers(nextToken, testCall())).containers).toMatchObject([{ name: 'two' }]);
      expect(requests.map((request) => /marker=([^ &]*)/.exec(request)?.[1])).toEqual([
        undefined,
        '%2Faccount%2Ft%26o',
      ]);
    });

    test('what is no page is no empty page', async () => {
      for (const other of ['', '<html><body>sign in</body></html>']) {
        const { store } = await start([answer('200 OK', '', other)]);
        expect(await failure(store.list('bucket', { limit: 10 }, testCall()))).toMatchObject({ kind: 'unexpected' });
      }
    });

    test('a page that was cut off is no page', async () => {
      const { store } = await start([answer('200 OK', '', '<EnumerationResults><Blobs><Blob><Name>a</Name></Blob>')]);
      expect(await failure(store.list('bucket', { limit: 10 }, testCall()))).toMatchObject({ kind: 'unexpected' });
    });
  });

  describe('bodies of reads', () => {
    const headOf = (size: number): string => `HTTP/1.1 200 OK\r\n${PROPERTIES}Content-Length: ${size}\r\n\r\n`;
    const begin =
      (sent: number): Turn =>
      (socket) =>
        socket.write(headOf(1_000_000) + 'x'.repeat(sent));

    const beginAndBreak =
      (sent: number): Turn =>
      (socket, request) => {
        begin(sent)(socket, request);
        setTimeout(() => socket.destroy(), 20);
      };

    test('a connection that breaks in the middle fails the body, by pipe and by stream', async () => {
      for (const sent of [0, 5, 300_000]) {
        const { store } = await start([beginAndBreak(sent)]);
        const [piped, streamed] = await Promise.all([store.read(REF, {}, testCall()), store.read(REF, {}, testCall())]);
        const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
        const outcomes = await Promise.all([
          failure(piped.body.pipeTo(sink, testCall().signal)),
          failure(buffer(streamed.body.stream())),
        ]);
        expect(outcomes.map((error) => error.kind)).toEqual(['unavailable', 'unavailable']);
        expect(sink.destroyed).toBe(true);
        expect(sink.writableFinished).toBe(false);
        await stopAll();
      }
    });

    test('silence within a body fails it', async () => {
      const { store } = await start([begin(10)], { timeouts: { idle: 1_000 } });
      const { body } = await store.read(REF, {}, testCall());
      expect(await failure(buffer(body.stream()))).toMatchObject({ kind: 'unavailable' });
    });

    test('the signal ends a body under way, and its connection', async () => {
      const { store, sockets } = await start([begin(10)]);
      const stop = new AbortController();
      const { body } = await store.read(REF, {}, testCall(stop.signal));
      const [socket] = sockets;
      const closed = socket === undefined ? undefined : once(socket, 'close');
      const outcome = failure(buffer(body.stream()));
      stop.abort();
      expect(await outcome).toMatchObject({ kind: 'aborted' });
      await closed;
    });

    test('a body given up frees its connection: a small one for the next call, a large one by closing', async () => {
      const small = answer('200 OK', PROPERTIES, 'small');
      const { store, sockets } = await start([small, small, begin(10), answer('200 OK', PROPERTIES)], {
        maxConnections: 1,
      });
      for (let i = 0; i < 2; i += 1) (await store.read(REF, {}, testCall())).body.discard();
      expect(sockets.size).toBe(1);
      const [first] = sockets;
      const closed = first === undefined ? undefined : once(first, 'close');
      (await store.read(REF, {}, testCall())).body.discard();
      await closed;
      await store.head(REF, testCall());
      expect(sockets.size).toBe(2);
    });

    test('a reader that stops makes the service wait, and gets every byte in the end', async () => {
      const bytes = 'abcdefgh'.repeat(500_000);
      const { store } = await start([answer('200 OK', PROPERTIES, bytes)]);
      const { body } = await store.read(REF, {}, testCall());
      const stream = body.stream();
      await sleep(50);
      expect(stream.readableLength).toBeLessThan(1_000_000);
      expect((await buffer(stream)).toString('latin1')).toBe(bytes);
    });

    test('HEAD answers leave the connection open', async () => {
      const { store, sockets } = await start([answer('200 OK', PROPERTIES)], { maxConnections: 1 });
      for (let i = 0; i < 5; i += 1) await store.head(REF, testCall());
      expect(sockets.size).toBe(1);
    });
  });
});
