import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { withCallLog } from '../../../../adapters/doubles/call-log.ts';
import { type Fault, type PlannedCall, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { ABSENT, type BlobStore } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';

const call = testCall();
const ref = { container: 'box', name: 'blob' };
let memory: MemoryBlobStore;

beforeEach(async () => {
  memory = new MemoryBlobStore();
  await memory.createContainer('box', {}, call);
});

function failing(method: string, fault: Fault): BlobStore {
  return withFaults(memory, (planned) => (planned.method === method ? fault : undefined));
}

async function errorOf(promise: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw new Error(`no StoreError: ${String(error)}`);
  return error;
}

const write = (store: BlobStore, text: string): Promise<unknown> =>
  store.write(ref, Buffer.from(text), { metadata: {} }, call);

describe('withFaults', () => {
  test('shows the plan each call, with its count by method', async () => {
    const seen: PlannedCall[] = [];
    const store = withFaults(memory, (planned) => void seen.push(planned));
    await write(store, 'a');
    await store.head(ref, call);
    await store.list('box', { limit: 1 }, call);
    await store.head(ref, call);
    expect(seen.map(({ method, count }) => `${method} ${count}`)).toEqual(['write 1', 'head 1', 'list 1', 'head 2']);
    expect(seen[0]?.ref).toEqual(ref);
  });

  test('fail: not applied, not lost', async () => {
    const error = await errorOf(write(failing('write', { kind: 'fail' }), 'a'));
    expect([error.kind, error.lost]).toEqual(['unavailable', false]);
    expect((await errorOf(memory.head(ref, call))).kind).toBe('notFound');
  });

  test('fail with another kind', async () => {
    const store = failing('createContainer', { kind: 'fail', error: 'containerBusy' });
    expect((await errorOf(store.createContainer('other', {}, call))).kind).toBe('containerBusy');
  });

  test('throttle', async () => {
    const error = await errorOf(failing('head', { kind: 'throttle', retryAfter: 3 }).head(ref, call));
    expect([error.kind, error.detail.retryAfter]).toEqual(['throttled', 3]);
  });

  test('loseAnswer: applied, but reported as lost', async () => {
    const error = await errorOf(write(failing('write', { kind: 'loseAnswer' }), 'landed'));
    expect([error.kind, error.lost]).toEqual(['unavailable', true]);
    expect((await memory.head(ref, call)).size).toBe(6);
  });

  test('loseAnswer late: applied after the failure was seen, if its condition still holds', async () => {
    const store = failing('write', { kind: 'loseAnswer', lateBy: 20 });
    expect((await errorOf(write(store, 'late'))).lost).toBe(true);
    expect((await errorOf(memory.head(ref, call))).kind).toBe('notFound');
    await expect
      .poll(() =>
        memory.head(ref, call).then(
          ({ size }) => size,
          () => undefined,
        ),
      )
      .toBe(4);
    await errorOf(store.write(ref, Buffer.from('refused'), { metadata: {}, condition: ABSENT }, call));
    await delay(40);
    expect((await memory.head(ref, call)).size).toBe(4);
  });

  test('loseRequest: reported as lost, not applied', async () => {
    expect((await errorOf(write(failing('write', { kind: 'loseRequest' }), 'a'))).lost).toBe(true);
    expect((await errorOf(memory.head(ref, call))).kind).toBe('notFound');
  });

  test.each(['loseAnswer', 'loseRequest'] as const)(
    '%s: seen by a caller whose signal ended the call after it was sent',
    async (kind) => {
      const error = await errorOf(write(failing('write', { kind, as: 'aborted' }), 'a'));
      expect([error.kind, error.lost]).toEqual(['aborted', true]);
    },
  );

  test('cutAnswer: a change is applied and lost, a read is unavailable, a refusal is heard', async () => {
    const cut = withFaults(memory, () => ({ kind: 'cutAnswer' }));
    const change = await errorOf(write(cut, 'landed'));
    expect([change.kind, change.lost, change.detail.status]).toEqual(['unavailable', true, 200]);
    expect((await memory.head(ref, call)).size).toBe(6);
    const read = await errorOf(cut.head(ref, call));
    expect([read.kind, read.lost]).toEqual(['unavailable', false]);
    const refused = await errorOf(cut.write(ref, Buffer.from('other'), { metadata: {}, condition: ABSENT }, call));
    expect([refused.kind, refused.lost]).toEqual(['conditionFailed', false]);
  });

  test('removeSome: every other item is removed, and the rest is in doubt', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      await memory.write({ container: 'box', name }, Buffer.from(name), { metadata: {} }, call);
    }
    const items = names.map((name) => ({ name }));
    const outcomes = await failing('removeMany', { kind: 'removeSome' }).removeMany('box', items, call);
    const lost = expect.objectContaining({ kind: 'unavailable', lost: true }) as unknown;
    expect(outcomes).toEqual(['removed', lost, 'removed']);
    expect((await memory.list('box', { limit: 9 }, call)).entries.map(({ name }) => name)).toEqual(['b']);
  });

  test('delay: waits, and ends with the signal of the call', async () => {
    const stop = new AbortController();
    const store = failing('head', { kind: 'delay', ms: 60_000 });
    const head = errorOf(store.head(ref, testCall(stop.signal)));
    stop.abort();
    expect((await head).kind).toBe('aborted');
  });

  test('interleave: another client is first', async () => {
    const store = failing('write', { kind: 'interleave', before: () => write(memory, 'other') });
    const error = await errorOf(store.write(ref, Buffer.from('mine'), { metadata: {}, condition: ABSENT }, call));
    expect(error.kind).toBe('conditionFailed');
  });

  test('emptyPage: no entries, and a token that goes on in the same place', async () => {
    for (const name of ['a', 'b', 'c']) {
      await memory.write({ container: 'box', name }, Buffer.from(name), { metadata: {} }, call);
    }
    const store = withFaults(memory, ({ method, count }) =>
      method === 'list' && count % 2 === 1 ? { kind: 'emptyPage' } : undefined,
    );
    const pages: string[][] = [];
    let token: string | undefined;
    do {
      const page = await store.list('box', { limit: 2, ...(token !== undefined && { token }) }, call);
      pages.push(page.entries.map((entry) => entry.name));
      token = page.nextToken;
    } while (token !== undefined);
    expect(pages).toEqual([[], ['a', 'b'], [], ['c']]);
  });

  test.each([0, 1, 70_000, 199_999, 200_000])('breakBody after %d of 200,000 bytes', async (after) => {
    await memory.write(ref, Buffer.alloc(200_000, 'x'), { metadata: {} }, call);
    const store = failing('read', { kind: 'breakBody', after });
    const { body, properties } = await store.read(ref, {}, call);
    expect([body.size, properties.size]).toEqual([200_000, 200_000]);
    let received = 0;
    const stream = body.stream().on('data', (chunk: Buffer) => (received += chunk.byteLength));
    await expect(buffer(stream)).rejects.toThrow('BodyBroken');
    expect(received).toBeLessThanOrEqual(after);
  });

  test('breakBody through pipeTo destroys the sink', async () => {
    await memory.write(ref, Buffer.alloc(200_000, 'x'), { metadata: {} }, call);
    const { body } = await failing('read', { kind: 'breakBody', after: 100_000 }).read(ref, {}, call);
    const sink = new PassThrough().resume();
    await expect(body.pipeTo(sink, call.signal)).rejects.toThrow('BodyBroken');
    expect(sink.destroyed).toBe(true);
  });
});

describe('withCallLog', () => {
  test('records method, container and name of each call', async () => {
    const store = withCallLog(memory);
    await write(store, 'a');
    await store.list('box', { limit: 1 }, call);
    await store.ping(call);
    await errorOf(store.head({ container: 'box', name: 'missing' }, call));
    expect(store.calls).toEqual([
      { method: 'write', ...ref },
      { method: 'list', container: 'box' },
      { method: 'ping' },
      { method: 'head', container: 'box', name: 'missing' },
    ]);
    expect([store.countCalls(), store.countCalls('list')]).toEqual([4, 1]);
    store.clearCalls();
    expect(store.countCalls()).toBe(0);
  });

  test('around faults it counts what was asked, inside them what was applied', async () => {
    const inner = withCallLog(memory);
    const outer = withCallLog(withFaults(inner, ({ count }) => (count === 1 ? { kind: 'fail' } : undefined)));
    await errorOf(write(outer, 'a'));
    await write(outer, 'b');
    expect([outer.countCalls('write'), inner.countCalls('write')]).toEqual([2, 1]);
  });
});
