import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { AzureStoreOptions } from '../../../adapters/azure/index.ts';
import type { BlobStore, Revision } from '../../../src/store/blob-store.ts';
import { testCall } from '../../support/test-call.ts';
import { answer, busy, failure, reset, serve, silence, WIRES } from '../../unit/adapters/azure/scripted-service.ts';
import type { Service, Turn, Wire } from '../../unit/adapters/azure/scripted-service.ts';

const REF = { container: 'bucket', name: 'key' };
const running: Service[] = [];

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((service) => service.stop()));
}

afterEach(stopAll);

/** Never ends by itself, and takes its time. */
function endless(chunk: number): Readable {
  return new Readable({
    read() {
      setTimeout(() => this.push(Buffer.alloc(chunk)), 5);
    },
  });
}

describe.each(Object.keys(WIRES) as Wire[])('over the %s wire', (wire) => {
  const start = async (...[turns, options]: [readonly Turn[], Partial<AzureStoreOptions>?]): Promise<Service> => {
    const service = await serve(wire, turns, options);
    running.push(service);
    return service;
  };

  describe('changes', () => {
    const changes: Readonly<Record<string, (store: BlobStore) => Promise<unknown>>> = {
      write: (store) => store.write(REF, Buffer.from('bytes'), { metadata: {} }, testCall()),
      setMetadata: (store) => store.setMetadata(REF, {}, { kind: 'match', revision: '"0x1"' as Revision }, testCall()),
      remove: (store) => store.remove(REF, undefined, testCall()),
      assemble: (store) => store.assemble(REF, { tokens: [], metadata: {} }, testCall()),
      createContainer: (store) => store.createContainer('bucket', {}, testCall()),
    };

    for (const [name, change] of Object.entries(changes)) {
      test(`${name}: a reset, silence and 5xx answers are lost and not repeated`, async () => {
        const losses: [Turn, string][] = [
          [reset, 'unavailable'],
          [silence, 'unavailable'],
          [answer('500 Internal', 'x-ms-error-code: OperationTimedOut\r\n'), 'throttled'],
          [answer('500 Internal', 'x-ms-error-code: InternalError\r\n'), 'unavailable'],
          [answer('502 Bad Gateway', '', '<html>proxy</html>'), 'unavailable'],
          [answer('408 Request Timeout', '', '<html>proxy</html>'), 'unavailable'],
          [busy, 'throttled'],
        ];
        for (const [turn, kind] of losses) {
          // Only where nobody answers: an answer may take its time.
          const options = turn === silence ? { timeouts: { response: 500 } } : {};
          const { store, requests } = await start([turn], options);
          expect(await failure(change(store))).toMatchObject({ kind, lost: true });
          expect(requests).toHaveLength(1);
          await stopAll();
        }
      });
    }

    test.each(['write', 'setMetadata', 'assemble'])(
      '%s: a success that names no revision is lost, and not repeated',
      async (name) => {
        const { store, requests } = await start([
          answer('201 Created', 'Last-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\n'),
        ]);
        expect(await failure(changes[name]?.(store) ?? Promise.resolve())).toMatchObject({
          kind: 'unavailable',
          lost: true,
          detail: { call: name },
        });
        expect(requests).toHaveLength(1);
      },
    );

    test('nobody listening: not lost, repeated if the body is at hand', async () => {
      const { store, server } = await start([silence]);
      await new Promise((resolve) => server.close(resolve));
      const call = testCall();
      expect(await failure(store.write(REF, Buffer.from('bytes'), { metadata: {} }, call))).toMatchObject({
        kind: 'unavailable',
        lost: false,
      });
      expect(call.facts.backendCalls).toBe(4);
      const streaming = testCall();
      const body = { size: 5, stream: Readable.from([Buffer.from('bytes')]) };
      expect(await failure(store.write(REF, body, { metadata: {} }, streaming))).toMatchObject({
        kind: 'unavailable',
        lost: false,
      });
      expect(streaming.facts.backendCalls).toBe(1);
      expect(body.stream.destroyed).toBe(true);
    });

    test('the signal during a write: lost once it is on its way', async () => {
      const { store, requests } = await start([silence]);
      const stop = new AbortController();
      const outcome = failure(store.write(REF, Buffer.from('bytes'), { metadata: {} }, testCall(stop.signal)));
      while (requests.length === 0) await sleep(2);
      stop.abort(new Error('client gone'));
      expect(await outcome).toMatchObject({ kind: 'aborted', lost: true });
      expect(
        await failure(store.write(REF, Buffer.from('bytes'), { metadata: {} }, testCall(stop.signal))),
      ).toMatchObject({ kind: 'aborted', lost: false });
      expect(requests).toHaveLength(1);
    });

    test('a connection that breaks under a stream is no failure of the stream', async () => {
      const { store } = await start([(socket) => setTimeout(() => socket.resetAndDestroy(), 20)]);
      const stream = endless(100_000);
      const error = await failure(store.write(REF, { size: 1_000_000_000, stream }, { metadata: {} }, testCall()));
      expect(error).toMatchObject({ kind: 'unavailable', lost: true });
      expect(stream.destroyed).toBe(true);
    });

    test('a stream that fails gives its own error as the cause, and its length is never completed', async () => {
      let received = 0;
      const cause = new Error('checksum differs');
      const stream = new Readable({ read: () => undefined });
      stream.push(Buffer.alloc(60_000));
      stream.push(Buffer.alloc(40_000));
      const take = (bytes: number): void => {
        received += bytes;
        // Once its first bytes are there.
        if (received > 0) stream.destroy(cause);
      };
      const { store } = await start([
        (socket, text) => {
          socket.on('data', (data) => take(data.length));
          take(text.length - text.indexOf('\r\n\r\n') - 4);
        },
      ]);
      const error = await failure(store.write(REF, { size: 100_000, stream }, { metadata: {} }, testCall()));
      expect(error).toMatchObject({ kind: 'aborted', lost: false, detail: { cause } });
      expect(received).toBeLessThan(100_000);
    });

    test('a refusal before the whole body was taken is heard', async () => {
      const { store } = await start([answer('412 Precondition', 'x-ms-error-code: ConditionNotMet\r\n')]);
      const stream = endless(10_000);
      const error = await failure(store.write(REF, { size: 1_000_000_000, stream }, { metadata: {} }, testCall()));
      expect(error).toMatchObject({ kind: 'conditionFailed', lost: false });
      expect(stream.destroyed).toBe(true);
    });

    test('a body above the limit is refused unsent', async () => {
      const { store, requests } = await start([silence], { limits: { maxWrite: 10 } });
      expect(await failure(store.write(REF, Buffer.alloc(11), { metadata: {} }, testCall()))).toMatchObject({
        kind: 'tooLarge',
      });
      expect(requests).toHaveLength(0);
    });
  });
});
