import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createGcsStore } from '../../../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../../../adapters/doubles/index.ts';
import { HotNames } from '../../../../adapters/gcs/hot-names.ts';
import { ABSENT, at } from '../../../../src/store/blob-store.ts';
import type { BlobStore, WriteResult } from '../../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { failure } from '../scripted-peer.ts';

describe('turns', () => {
  /** Whoever has to wait for a turn waits longer than a test may take. */
  const NEVER_TWICE = { wait: 600_000, spacing: 600_000 };
  const throttled = (): StoreError => new StoreError('throttled', { status: 429 });

  test('nobody waits before a change is refused', async () => {
    const names = new HotNames(NEVER_TWICE);
    await Promise.all(Array.from({ length: 50 }, () => names.run('x', true, testCall(), async () => undefined)));
    expect(names.size).toBe(0);
  });

  test('after a refusal changes of that name are spaced, and those of others go out at once', async () => {
    const spacing = 600_000;
    const names = new HotNames({ wait: 10 * spacing, spacing });
    const stop = new AbortController();
    const calls = Array.from({ length: 6 }, () => testCall(stop.signal));
    const [refused, ...others] = calls;
    const waiting = [failure(names.run('hot', true, refused ?? testCall(), async () => Promise.reject(throttled())))];
    await nextTurn();
    for (const call of others) waiting.push(failure(names.run('hot', true, call, async () => undefined)));
    for (const [i, { facts }] of calls.entries()) {
      // From now on, which is not when the first of them began: this test may take a minute.
      expect(facts.waitedMs).toBeGreaterThan((i + 1) * spacing - 60_000);
    }
    await names.run('cold', true, testCall(), async () => undefined);
    expect(names.size).toBe(1);
    stop.abort();
    for (const { kind } of await Promise.all(waiting)) expect(kind).toBe('aborted');
  });

  test('a name is forgotten when its turns are over', async () => {
    const names = new HotNames({ wait: 60_000, spacing: 10 });
    let refusals = 1;
    await names.run('hot', true, testCall(), async () => {
      if (refusals-- > 0) throw throttled();
    });
    await expect.poll(() => names.size).toBe(0);
  });

  test('a burst that is refused together spaces turns as one refusal does', async () => {
    const names = new HotNames({ wait: 400, spacing: 20 });
    let sent = 0;
    const work = async (): Promise<void> => {
      sent += 1;
      if (sent > 1 && sent <= 10) throw throttled();
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => names.run('burst', true, testCall(), work)));
    // Nine turns, at most a quarter longer each; doubled with every refusal, the second would have had to wait for 160
    // ms already.
    expect(performance.now() - began).toBeGreaterThan(9 * 20 - 2);
    expect(sent).toBe(19);
  });

  test('who would have to wait too long is told at once, and how long', async () => {
    const names = new HotNames({ wait: 100, spacing: 300_000 });
    const error = await failure(names.run('hot', true, testCall(), async () => Promise.reject(throttled())));
    expect(error).toMatchObject({ kind: 'throttled', lost: false, detail: { code: 'NameTooHot' } });
    const again = await failure(names.run('hot', true, testCall(), async () => undefined));
    for (const { detail } of [error, again]) {
      // All of it but for the seconds that this test may take.
      expect(detail.retryAfter).toBeGreaterThan(270);
      expect(detail.retryAfter).toBeLessThanOrEqual(300);
    }
  });

  test('what can be done once only is not done twice', async () => {
    const names = new HotNames({ wait: 1000, spacing: 10 });
    let done = 0;
    const error = await failure(
      names.run('hot', false, testCall(), async () => {
        done += 1;
        throw throttled();
      }),
    );
    expect([error.kind, done]).toEqual(['throttled', 1]);
  });

  test("other failures, and lost answers, are the caller's", async () => {
    const names = new HotNames({ wait: 1000, spacing: 10 });
    for (const given of [new StoreError('conditionFailed'), new StoreError('throttled', { status: 503, lost: true })]) {
      expect(await failure(names.run('x', true, testCall(), async () => Promise.reject(given)))).toBe(given);
    }
    expect(names.size).toBe(0);
  });

  test('a wait ends with its signal', async () => {
    const names = new HotNames({ wait: 10_000, spacing: 5000 });
    const stop = new AbortController();
    const waiting = failure(names.run('hot', true, testCall(stop.signal), async () => Promise.reject(throttled())));
    setTimeout(() => stop.abort(), 20);
    expect((await waiting).kind).toBe('aborted');
  });
});

describe('on a service that takes few changes of one name', () => {
  const running: { double: GcsDouble; store: BlobStore }[] = [];

  afterEach(async () => {
    for (const { double, store } of running.splice(0)) {
      await store.close();
      await double.stop();
    }
  });

  async function start(nameWait: number): Promise<BlobStore> {
    const double = await startGcsDouble({ nameWritesPerSecond: 20 });
    const store = createGcsStore({
      endpoint: double.endpoint,
      credential: { kind: 'anonymous' },
      retries: { nameSpacing: 50, nameWait },
    });
    running.push({ double, store });
    await store.createContainer('bucket', {}, testCall());
    return store;
  }

  const ref = { container: 'bucket', name: 'key' };
  const write = (store: BlobStore, text: string, condition?: typeof ABSENT): Promise<WriteResult> =>
    store.write(ref, Buffer.from(text), { metadata: { text }, ...(condition && { condition }) }, testCall());

  test('50 writers at once end in success or throttled, and what is there is one of those that succeeded, the last', async () => {
    const store = await start(1000);
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => write(store, `writer ${i}`)));
    const won = outcomes.flatMap((outcome, i) =>
      outcome.status === 'fulfilled' ? [{ i, revision: outcome.value.revision }] : [],
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(isStoreError(outcome.reason, 'throttled')).toBe(true);
      expect((outcome.reason as StoreError).detail.retryAfter).toBeGreaterThanOrEqual(1);
    }
    expect(won.length).toBeGreaterThan(5);
    expect(won.length).toBeLessThan(50);
    expect(new Set(won.map(({ revision }) => revision)).size).toBe(won.length);
    const { revision, metadata } = await store.head(ref, testCall());
    expect(won).toContainEqual({ i: Number(metadata['text']?.slice(7)), revision });
  });

  test('with patience enough all succeed', async () => {
    const store = await start(20_000);
    const results = await Promise.all(Array.from({ length: 15 }, (_, i) => write(store, `writer ${i}`)));
    expect(new Set(results.map(({ revision }) => revision)).size).toBe(15);
  });

  test('conditional writers keep their condition while they wait', async () => {
    const store = await start(20_000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => write(store, `writer ${i}`, ABSENT)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { revision } = await store.head(ref, testCall());
    const changes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => store.setMetadata(ref, { i: `${i}` }, at(revision), testCall())),
    );
    expect(changes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await sleep(60);
    await store.remove(ref, undefined, testCall());
  });
});
