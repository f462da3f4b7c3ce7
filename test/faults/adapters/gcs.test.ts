import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { ABSENT, at, type BlobStore, type Condition, type Revision } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { testCall } from '../../support/test-call.ts';
import { answer, cutAnswer, failure, reset, silence } from '../../unit/adapters/scripted-peer.ts';
import type { Turn } from '../../unit/adapters/scripted-peer.ts';
import {
  broken,
  busy,
  json,
  refusal,
  serve,
  tooFast,
  unmet,
  written,
} from '../../unit/adapters/gcs/scripted-service.ts';
import type { Service } from '../../unit/adapters/gcs/scripted-service.ts';

const REF = { container: 'bucket', name: 'key' };
const REVISION = '1700000000000000.3' as Revision;
const MATCH = at(REVISION);
const running: Service[] = [];

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((service) => service.stop()));
}

afterEach(stopAll);

async function start(...args: Parameters<typeof serve>): Promise<Service> {
  const service = await serve(...args);
  running.push(service);
  return service;
}

/** Never ends by itself, and takes its time. */
function endless(chunk: number): Readable {
  return new Readable({
    read() {
      setTimeout(() => this.push(Buffer.alloc(chunk)), 5);
    },
  });
}

const resource = json({
  size: '5',
  generation: '1700000000000000',
  metageneration: '3',
  timeCreated: '2026-11-21T10:00:00Z',
  metadata: { old: '1' },
});

type Change = (store: BlobStore, condition: Condition, call?: Call) => Promise<unknown>;

/**
 * Every call that changes an object, what must go well before it is sent, and what it carries when it is conditioned on
 * a revision.
 */
const CHANGES: Readonly<Record<string, { change: Change; before: Turn[]; absent?: boolean }>> = {
  write: {
    change: (store, condition, call = testCall()) =>
      store.write(REF, Buffer.from('bytes'), { metadata: {}, condition }, call),
    before: [],
    absent: true,
  },
  setMetadata: {
    change: (store, condition, call = testCall()) => store.setMetadata(REF, {}, condition, call),
    before: [resource],
  },
  remove: { change: (store, _condition, call = testCall()) => store.remove(REF, REVISION, call), before: [] },
  'assemble of nothing': {
    change: (store, condition, call = testCall()) => store.assemble(REF, { tokens: [], metadata: {}, condition }, call),
    before: [],
    absent: true,
  },
  'assemble of parts': {
    change: (store, condition, call = testCall()) =>
      store.assemble(REF, { tokens: ['a', 'b'], metadata: {}, condition }, call),
    before: [],
    absent: true,
  },
  copy: {
    change: (store, condition, call = testCall()) => {
      const source = { ...REF, name: 'source', revision: REVISION };
      return store.copy(REF, { source, size: 5, headers: {}, metadata: {}, condition }, call);
    },
    before: [],
    absent: true,
  },
};

describe('changes', () => {
  for (const [name, { change, before, absent }] of Object.entries(CHANGES)) {
    test(`${name}: a reset, silence and 5xx answers are lost and not repeated`, async () => {
      const losses: [Turn, string][] = [
        [reset, 'unavailable'],
        [silence, 'unavailable'],
        [broken, 'unavailable'],
        [answer('502 Bad Gateway', '', '<html>proxy</html>'), 'unavailable'],
        [busy, 'throttled'],
      ];
      for (const [turn, kind] of losses) {
        const { store, requests } = await start([...before, turn], { timeouts: { response: 80, copy: 80 } });
        expect(await failure(change(store, MATCH))).toMatchObject({ kind, lost: true });
        expect(requests).toHaveLength(before.length + 1);
        await stopAll();
      }
    });

    test(`${name}: an answer of which no more than the head can be used is lost, however it ends, and not repeated`, async () => {
      if (name === 'remove') return;
      const body = JSON.stringify({ generation: '1700000000000001', metageneration: '1' });
      const unusable: Turn[] = [
        cutAnswer('200 OK', { body }),
        cutAnswer('200 OK', { body, after: body.length - 1 }),
        cutAnswer('200 OK', { body, after: 5, then: 'silence' }),
        answer('200 OK', '', '<html>proxy</html>'),
        answer('200 OK', '', 'null'),
        answer('200 OK', '', '[]'),
        answer('200 OK', '', '{}'),
        answer('200 OK', '', body.slice(0, 20)),
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"gen\r\n');
          setTimeout(() => socket.end(), 20);
        },
      ];
      for (const turn of unusable) {
        const { store, requests } = await start([...before, turn], { timeouts: { idle: 1_000 } });
        expect(await failure(change(store, MATCH))).toMatchObject({ kind: 'unavailable', lost: true });
        expect(requests).toHaveLength(before.length + 1);
        await stopAll();
      }
    });

    test(`${name}: ended by its signal, it is lost once it was sent, be it before or behind the head of the answer`, async () => {
      // The answer to a removal has no body: its head is all there is to it.
      const cut =
        name === 'remove' ? [] : [cutAnswer('200 OK', { body: '{"generation":"1"}', after: 3, then: 'silence' })];
      for (const turn of [silence, ...cut]) {
        const { store, requests } = await start([...before, turn]);
        const stop = new AbortController();
        const outcome = failure(change(store, MATCH, testCall(stop.signal)));
        while (requests.length <= before.length) await sleep(2);
        await sleep(20);
        stop.abort(new Error('client gone'));
        expect(await outcome).toMatchObject({ kind: 'aborted', lost: true });
        await stopAll();
      }
    });

    test(`${name}: carries generation and metageneration, or generation 0`, async () => {
      const { store, requests } = await start([...before, silence], { timeouts: { response: 50, copy: 50 } });
      await failure(change(store, MATCH));
      expect(requests.at(-1)).toMatch(/[?&]ifGenerationMatch=1700000000000000&ifMetagenerationMatch=3\b/);
      if (absent !== true) return;
      await stopAll();
      const second = await start([silence], { timeouts: { response: 50, copy: 50 } });
      await failure(change(second.store, ABSENT));
      expect(second.requests.at(-1)).toMatch(/[?&]ifGenerationMatch=0\b/);
      expect(second.requests.at(-1)).not.toContain('ifMetagenerationMatch');
    });

    test(`${name}: 429 was not applied, so it takes its turn, still on its condition`, async () => {
      const { store, requests } = await start([...before, tooFast, tooFast, unmet, resource]);
      expect((await failure(change(store, MATCH))).kind).toBe('conditionFailed');
      const sent = requests.slice(before.length, before.length + 3);
      expect(sent).toHaveLength(3);
      for (const request of sent) {
        expect(request).toMatch(/[?&]ifGenerationMatch=1700000000000000&ifMetagenerationMatch=3\b/);
      }
    });
  }

  test('429 for ever: throttled, with the seconds to wait, and not lost', async () => {
    const { store } = await start([tooFast]);
    const error = await failure(store.write(REF, Buffer.from('bytes'), { metadata: {} }, testCall()));
    expect(error).toMatchObject({ kind: 'throttled', lost: false });
    expect(error.detail.retryAfter).toBeGreaterThanOrEqual(1);
  });

  test('429 for a stream: throttled at once, for it can be sent only once', async () => {
    const { store, requests } = await start([tooFast]);
    const body = { size: 5, stream: Readable.from([Buffer.from('bytes')]) };
    expect(await failure(store.write(REF, body, { metadata: {} }, testCall()))).toMatchObject({
      kind: 'throttled',
      lost: false,
    });
    expect(requests).toHaveLength(1);
  });

  test('nobody listening: not lost, repeated if the body is at hand', async () => {
    const { store, server } = await start([silence]);
    await new Promise((resolve) => server.close(resolve));
    const call = testCall();
    expect(await failure(store.write(REF, Buffer.from('bytes'), { metadata: {} }, call))).toMatchObject({
      kind: 'unavailable',
      lost: false,
    });
    expect(call.facts.backendCalls).toBe(4);
  });

  test('createContainer: a lost answer is lost; a taken name is taken', async () => {
    const lost = await start([reset]);
    expect(await failure(lost.store.createContainer('bucket', {}, testCall()))).toMatchObject({
      kind: 'unavailable',
      lost: true,
    });
  });

  const conflict = refusal('409 Conflict', 'conflict');
  const hidden = refusal('403 Forbidden', 'forbidden');
  const ours = { name: 'bucket', projectNumber: '1' };
  const listed = json({ items: [ours] });

  test.each([
    ['ours, on the list of our project', [conflict, json(ours), listed], 'containerExists'],
    [
      'ours, behind an empty page of that list',
      [conflict, json(ours), json({ nextPageToken: 'x' }), listed],
      'containerExists',
    ],
    ['ours, but we may not see it', [conflict, hidden, listed], 'denied'],
    ['gone again', [conflict, refusal('404 Not Found', 'notFound')], 'containerExists'],
    ["somebody else's", [conflict, hidden, json({})], 'containerBusy'],
    [
      "somebody else's, and one of ours begins like it",
      [conflict, hidden, json({ items: [{ name: 'bucket-2', projectNumber: '1' }] })],
      'containerBusy',
    ],
    [
      "somebody else's, who lets everybody in",
      [conflict, json({ name: 'bucket', projectNumber: '2' }), json({})],
      'containerBusy',
    ],
    ['nobody knows whose', [conflict, hidden, hidden], 'denied'],
  ] as [string, Turn[], string][])('createContainer of a taken name: %s', async (_whose, turns, kind) => {
    const { store, requests } = await start(turns);
    const error = await failure(store.createContainer('bucket', {}, testCall()));
    expect([error.kind, requests.length]).toEqual([kind, turns.length]);
    if (kind === 'containerBusy') {
      expect(error.detail.cause).toMatchObject({
        message: expect.stringMatching(/belongs to another project/) as string,
      });
    }
  });

  test('headContainer knows its project by what was made in it, or asks once', async () => {
    const made = await start([json({ projectNumber: '1' }), json(ours)]);
    await made.store.createContainer('bucket', {}, testCall());
    await made.store.headContainer('bucket', testCall());
    expect(made.requests).toHaveLength(2);
    const found = await start([json(ours), listed, json(ours)]);
    for (let looks = 0; looks < 2; looks += 1) await found.store.headContainer('bucket', testCall());
    expect(found.requests).toHaveLength(3);
  });
});

describe('streams', () => {
  test('a stream that fails gives its own error as the cause, and its length is never completed', async () => {
    let received = '';
    const { store } = await start([
      (socket, text) => {
        received += text;
        socket.on('data', (data) => void (received += data.toString('latin1')));
      },
    ]);
    const cause = new Error('checksum differs');
    const stream = new Readable({ read: () => undefined });
    stream.push(Buffer.alloc(60_000, 'a'));
    stream.push(Buffer.alloc(40_000, 'b'));
    setTimeout(() => stream.destroy(cause), 50);
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

describe('private objects', () => {
  test('a part whose answer is lost is sent again; a name that is taken by then was taken by us', async () => {
    const { store, requests } = await start([reset, unmet]);
    const { tokens } = await store.stagePart(REF, Buffer.from('part'), testCall());
    expect(tokens).toHaveLength(1);
    expect(requests).toHaveLength(2);
    const names = requests.map((request) => /"name":"([^"]+)"/.exec(request)?.[1]);
    expect(names[0]).toMatch(/^~parts\/[0-9a-f]{64}\/[\w-]+$/);
    expect(names[1]).toBe(names[0]);
    for (const request of requests) expect(request).toContain('ifGenerationMatch=0');
  });

  test('a name that is taken although no answer was lost is an error', async () => {
    const { store } = await start([unmet]);
    expect((await failure(store.stagePart(REF, Buffer.from('part'), testCall()))).kind).toBe('conditionFailed');
  });

  test('once in doubt, always in doubt: whatever ends the repetitions, the part may be there', async () => {
    const denied = refusal('403 Forbidden', 'forbidden');
    const { store } = await start([reset, denied]);
    expect(await failure(store.stagePart(REF, Buffer.from('part'), testCall()))).toMatchObject({
      kind: 'denied',
      lost: true,
    });
    const paused = await start([reset], { retries: { baseDelay: 60_000, maxDelay: 60_000 } });
    const stop = new AbortController();
    const outcome = failure(paused.store.stagePart(REF, Buffer.from('part'), testCall(stop.signal)));
    while (paused.requests.length === 0) await sleep(2);
    await sleep(20);
    stop.abort();
    expect(await outcome).toMatchObject({ kind: 'aborted', lost: true });
  });

  test('a part that is a stream is sent once', async () => {
    const { store, requests } = await start([busy]);
    const body = { size: 5, stream: Readable.from([Buffer.from('bytes')]) };
    expect(await failure(store.stagePart(REF, body, testCall()))).toMatchObject({ kind: 'throttled', lost: true });
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
