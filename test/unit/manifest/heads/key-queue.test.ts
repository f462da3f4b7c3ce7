import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { type Fault, withFaults } from '../../../../adapters/doubles/faults.ts';
import { KeyQueue, type KeyQueueOptions } from '../../../../src/manifest/heads/key-queue.ts';
import type { KeyTurn } from '../../../../src/manifest/records/key-turns.ts';
import { type StoreError, isStoreError } from '../../../../src/store/store-error.ts';
import { OWNER, type TestManifest, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { TestTime } from '../../../support/test-time.ts';

const failure = async (promise: KeyTurn | Promise<KeyTurn>): Promise<StoreError> => {
  const error = await Promise.resolve(promise).then(
    () => new Error('no error'),
    (thrown: unknown) => thrown,
  );
  if (!isStoreError(error)) throw error;
  return error;
};

describe('the queue of a key', () => {
  it('keeps nobody waiting where nobody is, and forgets a key that nobody changes', () => {
    const queue = new KeyQueue();
    const places = ['one', 'another'].map((key) => queue.enter(key, testCall()));
    expect(places).toEqual([expect.objectContaining({ waited: false }), expect.objectContaining({ waited: false })]);
    expect(queue.size).toBe(2);
    for (const place of places) if (!(place instanceof Promise)) queue.leave(place);
    expect(queue.size).toBe(0);
  });

  it('lets one after the other in, in the order in which they came', async () => {
    const queue = new KeyQueue();
    const order: number[] = [];
    let inFront = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const place = await queue.enter('key', testCall());
        expect([place.waited, inFront++]).toEqual([i > 0, 0]);
        order.push(i);
        await sleep(1);
        inFront -= 1;
        queue.leave(place);
      }),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(queue.size).toBe(0);
  });

  it.each([
    ['that has waited too long', { elsewhere: 0, here: 40 }],
    ['that has waited long enough elsewhere, at once', { elsewhere: 40, here: 0 }],
  ])('tells a request %s when to come again', async (_name, { elsewhere, here }) => {
    const time = new TestTime();
    const queue = new KeyQueue({ wait: 40, time });
    const front = await queue.enter('key', testCall());
    const call = testCall();
    call.facts.waitedMs = elsewhere;
    const refused = failure(queue.enter('key', call));
    // At once: in a time that stands still.
    if (here > 0) time.advance(here);
    expect(await refused).toMatchObject({
      kind: 'throttled',
      lost: false,
      detail: { code: 'KeyTooBusy', retryAfter: 1 },
    });
    expect(call.facts.waitedMs).toBe(40);
    queue.leave(front);
    expect(queue.size).toBe(0);
  });

  it('says how long those before will take', async () => {
    const time = new TestTime();
    const queue = new KeyQueue({ length: 3, time });
    const first = await queue.enter('key', testCall());
    const others = Array.from({ length: 3 }, () => queue.enter('key', testCall()));
    time.advance(700);
    queue.leave(first);
    void queue.enter('key', testCall());
    expect(await failure(queue.enter('key', testCall()))).toMatchObject({ detail: { retryAfter: 3 } });
    for (const other of others) queue.leave(await other);
  });

  it('is not longer than it may be', async () => {
    const queue = new KeyQueue({ length: 2 });
    const places = Array.from({ length: 3 }, () => queue.enter('key', testCall()));
    expect((await failure(queue.enter('key', testCall()))).kind).toBe('throttled');
    for (const place of places) queue.leave(await place);
    expect(queue.size).toBe(0);
  });

  it('loses nobody when one that waits goes away', async () => {
    const queue = new KeyQueue();
    const front = await queue.enter('key', testCall());
    const stop = new AbortController();
    const leaving = queue.enter('key', testCall(stop.signal));
    const staying = queue.enter('key', testCall());
    stop.abort();
    expect((await failure(leaving)).kind).toBe('aborted');
    expect((await failure(queue.enter('key', testCall(stop.signal)))).kind).toBe('aborted');
    queue.leave(front);
    queue.leave(await staying);
    expect(queue.size).toBe(0);
  });

  it('goes round one that stays long, whose leaving then says nothing', async () => {
    const time = new TestTime();
    const queue = new KeyQueue({ patience: 30, time });
    const slow = await queue.enter('key', testCall());
    const entering = queue.enter('key', testCall());
    time.advance(30);
    const second = await entering;
    const third = queue.enter('key', testCall());
    let isIn = false;
    void Promise.resolve(third).then(() => (isIn = true));
    queue.leave(slow);
    await nextTurn();
    expect(isIn).toBe(false);
    queue.leave(second);
    queue.leave(second);
    queue.leave(await third);
    expect(queue.size).toBe(0);
  });
});

type Plan = Parameters<typeof withFaults>[1];

/** A manifest whose changes queue, over memory; `plan` may be set later. */
async function queued(
  options: Partial<KeyQueueOptions> = {},
): Promise<TestManifest & { queue: KeyQueue; refused: () => number; plan: (plan: Plan) => void }> {
  let plan: Plan = () => undefined;
  let refused = 0;
  const memory = withFaults(new MemoryBlobStore(), (...args) => plan(...args));
  const store = new Proxy(memory, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        try {
          return await (value.apply(target, args) as Promise<unknown>);
        } catch (error) {
          if (isStoreError(error, 'conditionFailed')) refused += 1;
          throw error;
        }
      };
    },
  });
  const queue = new KeyQueue(options);
  const manifest = await testManifest({ store, queue });
  return { ...manifest, queue, refused: () => refused, plan: (next) => (plan = next) };
}

describe('changes of one key', () => {
  it.each(['enabled', 'suspended'] as const)("do not get in each other's way: %s", async (versioning) => {
    const { objects, bucket: plain, queue, refused, settler } = await queued();
    const bucket = { ...plain, versioning };
    const puts = Array.from({ length: 12 }, (_, i) =>
      objects.put({ bucket, key: 'k' }, putOf(`body ${i}`), testCall()),
    );
    const others = [
      objects.remove({ bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall()),
      objects
        .amend({ bucket, key: 'k' }, () => ({ tags: [{ key: 'a', value: 'b' }] }), testCall())
        .catch(() => undefined),
    ];
    await Promise.all([...puts, ...others]);
    await settler.idle();
    expect(refused()).toBe(0);
    expect(queue.size).toBe(0);
  });

  it('wait for no body on its way, and no read waits', async () => {
    const { objects, bucket: plain, queue } = await queued();
    const bucket = { ...plain, versioning: 'enabled' as const };
    await objects.put({ bucket, key: 'k' }, putOf('first'), testCall());
    const stream = new Readable({ read: () => undefined });
    const size = 4;
    const slow = objects.put(
      { bucket, key: 'k' },
      putOf('', { body: { size, stream }, facts: Promise.resolve({ md5: '098f6bcd4621d373cade4e832627b4f6' }) }),
      testCall(),
    );
    await sleep(20);
    const call = testCall();
    await objects.put({ bucket, key: 'k' }, putOf('second'), call);
    expect([call.facts.waitedMs, queue.size]).toEqual([0, 0]);
    stream.push('test');
    stream.push(null);
    await slow;

    const front = await queue.enter(`${bucket.uid}/k`, testCall());
    const { view } = await objects.open({ bucket, key: 'k' }, {}, testCall());
    expect(view.size).toBeGreaterThan(0);
    queue.leave(front);
  });

  it('come to an end though one of them does not', async () => {
    const { objects, bucket: plain, plan, queue } = await queued({ patience: 20 });
    const bucket = { ...plain, versioning: 'enabled' as const };
    await objects.put({ bucket, key: 'k' }, putOf('first'), testCall());
    let release: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => (release = resolve));
    let met = false;
    plan(({ method }) => {
      if (met || method !== 'write') return undefined;
      met = true;
      return { kind: 'interleave', before: () => stuck } satisfies Fault;
    });
    const slow = objects.put({ bucket, key: 'k' }, putOf('slow'), testCall());
    await Promise.all(
      Array.from({ length: 3 }, (_, i) => objects.put({ bucket, key: 'k' }, putOf(`quick ${i}`), testCall())),
    );
    release();
    await slow;
    expect(queue.size).toBe(0);
  });
});
