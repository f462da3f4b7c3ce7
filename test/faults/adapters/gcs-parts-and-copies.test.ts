import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { ABSENT, type BlobStore, type Condition } from '../../../src/store/blob-store.ts';
import { testCall } from '../../support/test-call.ts';
import { answer, failure, reset, silence } from '../../unit/adapters/scripted-peer.ts';
import type { Turn } from '../../unit/adapters/scripted-peer.ts';
import { busy, json, refusal, unmet, written } from '../../unit/adapters/gcs/scripted-service.ts';
import { REF, REVISION, stopAll, start, resource } from './gcs-scene.ts';

afterEach(stopAll);

describe('private objects', () => {
  test('a part whose answer is lost is sent again; a name that is taken by then was taken by us', async () => {
    const { store, requests } = await start([reset, unmet]);
    const { tokens } = await store.stagePart(REF, Buffer.from('part'), {}, testCall());
    expect(tokens).toHaveLength(1);
    expect(requests).toHaveLength(2);
    const names = requests.map((request) => /"name":"([^"]+)"/.exec(request)?.[1]);
    expect(names[0]).toMatch(/^~parts\/[0-9a-f]{64}\/[\w-]+$/);
    expect(names[1]).toBe(names[0]);
    for (const request of requests) expect(request).toContain('ifGenerationMatch=0');
  });

  test('a name that is taken although no answer was lost is an error', async () => {
    const { store } = await start([unmet]);
    expect((await failure(store.stagePart(REF, Buffer.from('part'), {}, testCall()))).kind).toBe('conditionFailed');
  });

  test('once in doubt, always in doubt: whatever ends the repetitions, the part may be there', async () => {
    const denied = refusal('403 Forbidden', 'forbidden');
    const { store } = await start([reset, denied]);
    expect(await failure(store.stagePart(REF, Buffer.from('part'), {}, testCall()))).toMatchObject({
      kind: 'denied',
      lost: true,
    });
    const paused = await start([reset], { retries: { baseDelay: 60_000, maxDelay: 60_000 } });
    const stop = new AbortController();
    const outcome = failure(paused.store.stagePart(REF, Buffer.from('part'), {}, testCall(stop.signal)));
    while (paused.requests.length === 0) await sleep(2);
    await sleep(20);
    stop.abort();
    expect(await outcome).toMatchObject({ kind: 'aborted', lost: true });
  });

  test('a part that is a stream is sent once', async () => {
    const { store, requests } = await start([busy]);
    const body = { size: 5, stream: Readable.from([Buffer.from('bytes')]) };
    expect(await failure(store.stagePart(REF, body, {}, testCall()))).toMatchObject({ kind: 'throttled', lost: true });
    expect(requests).toHaveLength(1);
  });

  test("a source that breaks off under a ranged copy is the service's failure, and nothing is staged", async () => {
    const head = 'x-goog-generation: 1700000000000000\r\nContent-Range: bytes 5-100004/200000\r\n';
    const cutOff: Turn = (socket) => {
      socket.write(`HTTP/1.1 206 Partial Content\r\n${head}Content-Length: 100000\r\n\r\n`);
      socket.write(Buffer.alloc(70_000));
      setTimeout(() => socket.destroy(), 30);
    };
    const { store, requests } = await start([cutOff, silence]);
    const work = store.stagePartFrom(
      REF,
      { ...REF, name: 'source', revision: REVISION },
      { first: 5, last: 100_004 },
      testCall(),
    );
    expect(await failure(work)).toMatchObject({ kind: 'unavailable', lost: false });
    expect(requests.length).toBeLessThanOrEqual(2);
  });

  test('intermediates are made again, the last compose is not', async () => {
    const tokens = Array.from({ length: 33 }, (_, i) => `t${i}`);
    const missing = refusal('404 Not Found', 'notFound');
    const { store, requests } = await start([missing, reset, written, busy, answer('204 No Content')]);
    const error = await failure(store.assemble(REF, { tokens, metadata: {}, condition: ABSENT }, testCall()));
    expect(error).toMatchObject({ kind: 'throttled', lost: true });
    const composes = requests.filter((request) => request.includes('/compose?'));
    expect(composes).toHaveLength(3);
    expect(composes[2]).toContain('/o/key/compose');
  });
});

describe('copies', () => {
  const copy = (store: BlobStore, condition?: Condition): Promise<unknown> =>
    store.copy(
      REF,
      {
        source: { ...REF, name: 'source', revision: REVISION },
        size: 5,
        headers: {},
        metadata: {},
        ...(condition && { condition }),
      },
      testCall(),
    );

  test('both ends are conditioned in every call, and the token goes from one to the next', async () => {
    const step = (n: number): Turn => json({ done: false, rewriteToken: `token${n}`, totalBytesRewritten: String(n) });
    const done = json({
      done: true,
      resource: { generation: '5', metageneration: '1', timeCreated: '2026-11-21T10:00:00Z' },
    });
    const { store, requests } = await start([step(1), step(2), done]);
    await copy(store, ABSENT);
    expect(requests.map((request) => /rewriteToken=(\w+)/.exec(request)?.[1])).toEqual([undefined, 'token1', 'token2']);
    for (const request of requests) {
      expect(request).toMatch(
        /ifSourceGenerationMatch=1700000000000000&ifSourceMetagenerationMatch=3&ifGenerationMatch=0/,
      );
    }
  });

  test('a server that gets nowhere is not asked for ever', async () => {
    const { store, requests } = await start([json({ done: false, rewriteToken: 'same', totalBytesRewritten: '1' })]);
    expect(await failure(copy(store))).toMatchObject({ kind: 'unexpected', detail: { code: 'NoProgress' } });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['the source is gone', [unmet, refusal('404 Not Found', 'notFound')], 'sourceNotFound'],
    ['the source has changed', [unmet, json({ generation: '9', metageneration: '1' })], 'sourceConditionFailed'],
    [
      'only its metadata has',
      [unmet, json({ generation: '1700000000000000', metageneration: '4' })],
      'sourceConditionFailed',
    ],
    ['the source is as it was', [unmet, resource], 'conditionFailed'],
    [
      'something is missing, and it is not the source',
      [refusal('404 Not Found', 'notFound'), resource],
      'containerNotFound',
    ],
    [
      'something is missing, and it is the source',
      [refusal('404 Not Found', 'notFound'), refusal('404 Not Found', 'notFound')],
      'sourceNotFound',
    ],
  ] as [string, Turn[], string][])('%s', async (_what, turns, kind) => {
    const { store } = await start(turns);
    expect((await failure(copy(store, ABSENT))).kind).toBe(kind);
  });
});
