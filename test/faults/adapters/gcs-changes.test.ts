import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { ABSENT, type BlobStore, type Condition } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { testCall } from '../../support/test-call.ts';
import { answer, cutAnswer, failure, reset, silence } from '../../unit/adapters/scripted-peer.ts';
import type { Turn } from '../../unit/adapters/scripted-peer.ts';
import { broken, busy, json, refusal, tooFast, unmet } from '../../unit/adapters/gcs/scripted-service.ts';
import { REF, REVISION, MATCH, stopAll, start, resource } from './gcs-scene.ts';

afterEach(stopAll);

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

const SHORT = { response: 1_000, copy: 1_000 };

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
        // Only where nobody answers: an answer may take its time.
        const { store, requests } = await start([...before, turn], turn === silence ? { timeouts: SHORT } : {});
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
      const { store, requests } = await start([...before, reset]);
      await failure(change(store, MATCH));
      expect(requests.at(-1)).toMatch(/[?&]ifGenerationMatch=1700000000000000&ifMetagenerationMatch=3\b/);
      if (absent !== true) return;
      await stopAll();
      const second = await start([reset]);
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
  const empty = json({ kind: 'storage#buckets' });
  const listed = json({ kind: 'storage#buckets', items: [ours] });

  test.each([
    ['ours, on the list of our project', [conflict, json(ours), listed], 'containerExists'],
    [
      'ours, behind an empty page of that list',
      [conflict, json(ours), json({ kind: 'storage#buckets', nextPageToken: 'x' }), listed],
      'containerExists',
    ],
    ['ours, but we may not see it', [conflict, hidden, listed], 'denied'],
    ['gone again', [conflict, refusal('404 Not Found', 'notFound')], 'containerExists'],
    ["somebody else's", [conflict, hidden, empty], 'containerBusy'],
    [
      "somebody else's, and one of ours begins like it",
      [conflict, hidden, json({ kind: 'storage#buckets', items: [{ name: 'bucket-2', projectNumber: '1' }] })],
      'containerBusy',
    ],
    [
      "somebody else's, who lets everybody in",
      [conflict, json({ name: 'bucket', projectNumber: '2' }), empty],
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
