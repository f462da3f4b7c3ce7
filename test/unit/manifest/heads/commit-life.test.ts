import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { CommitLife, clientOf, whileStreaming } from '../../../../src/manifest/heads/commit-life.ts';
import { createObjects } from '../../../../src/manifest/objects/objects.ts';
import { createSettler } from '../../../../src/manifest/versions/settle.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { SYSTEM_TIME } from '../../../../src/manifest/records/time.ts';
import type { Call } from '../../../../src/observe/call.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { wrapStore } from '../../../../src/store/wrap-store.ts';
import { OWNER, putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: unknown) => error,
  );
}

describe('the life of a commit', () => {
  it('goes on when its client has left', async () => {
    const client = new AbortController();
    const life = new CommitLife();
    const told = await life.run(testCall(client.signal), async (own) => {
      client.abort();
      await sleep(1);
      return [own.signal.aborted, clientOf(own).signal.aborted, life.size];
    });
    expect(told).toEqual([false, true, 1]);
    expect(life.size).toBe(0);
  });

  it('is one with what it calls', async () => {
    const life = new CommitLife();
    expect(await life.run(testCall(), (own) => life.run(own, async (inner) => inner === own))).toBe(true);
  });

  it('has a time of its own, in which bodies and copies do not count, and ends with an outcome that nobody knows', async () => {
    const life = new CommitLife(SYSTEM_TIME, 20);
    const asStores = (own: Call): Promise<never> =>
      new Promise((_resolve, reject) => {
        own.signal.addEventListener('abort', () =>
          reject(new StoreError('aborted', { call: 'write', cause: own.signal.reason })),
        );
      });
    const error = await refusal(
      life.run(testCall(), async (own) => {
        await whileStreaming(own, () => sleep(60));
        expect(own.signal.aborted).toBe(false);
        return asStores(own);
      }),
    );
    expect(error).toMatchObject({ kind: 'unavailable', lost: true, detail: { code: 'OutcomeUnknown', call: 'write' } });
  });

  it('shares one timer with others, and ends each at its own time', async () => {
    let now = 0;
    const timers: { at: number; work: () => void }[] = [];
    const after = (ms: number, work: () => void): (() => void) => {
      const timer = { at: now + ms, work };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    };
    const life = new CommitLife({ after, monotonic: () => now }, 100);
    const ended: string[] = [];
    const streamed = Promise.withResolvers<undefined>();
    const begin = (name: string, work?: () => Promise<unknown>): Promise<void> =>
      life.run(testCall(), async (own) => {
        if (work !== undefined) await whileStreaming(own, work);
        await new Promise((resolve) => own.signal.addEventListener('abort', resolve));
        ended.push(`${name} ${now}`);
      });
    const moveTo = async (to: number): Promise<void> => {
      for (let due = timers[0]; due !== undefined && due.at <= to; due = timers[0]) {
        timers.shift();
        now = due.at;
        due.work();
        await sleep(0);
      }
      now = to;
    };
    const all = [begin('first'), begin('streaming', () => streamed.promise)];
    await moveTo(30);
    all.push(begin('second'));
    expect(timers).toHaveLength(1);
    await moveTo(120);
    expect(ended).toEqual(['first 100']);
    streamed.resolve(undefined);
    await sleep(0);
    await moveTo(300);
    await Promise.all(all);
    expect(ended).toEqual(['first 100', 'second 130', 'streaming 220']);
    expect(timers).toEqual([]);
  });

  it('tells when none is under way, and can end those that are left', async () => {
    const life = new CommitLife();
    await life.idle();
    const work = life.run(testCall(), (own) => new Promise((resolve) => own.signal.addEventListener('abort', resolve)));
    let isIdle = false;
    const idle = life.idle().then(() => (isIdle = true));
    await sleep(1);
    expect(isIdle).toBe(false);
    life.end(new Error('the process ends'));
    await Promise.all([work, idle]);
    expect(await life.run(testCall(), async (own) => own.signal.aborted)).toBe(true);
  });
});

/** One bucket with versioning whose heads are written the slow way: the store answers when the test lets it. */
async function slowHeads() {
  const memory = new MemoryBlobStore();
  for (const container of ['bucket', 'system']) await memory.createContainer(container, {}, testCall());
  const atHead = Promise.withResolvers<Call>();
  let isApplied = true;
  const store = wrapStore(memory, async ({ method, ref, call }, run) => {
    if (method !== 'write' || ref.container !== 'bucket') return run();
    if (isApplied) await run();
    atHead.resolve(call);
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    throw new StoreError('aborted', { call: method, lost: true });
  });
  const settler = createSettler({ concurrency: 2, maxQueue: 10, newCall: () => testCall(), onError: () => undefined });
  const commits = new CommitLife();
  const home = { backend: 'test', store, container: 'bucket', system: 'system' };
  const bucket = {
    name: 'bucket',
    uid: 'uid',
    ownerId: OWNER,
    createdAt: 0,
    versioning: 'enabled',
    settings: {},
    home,
  } as const;
  const objects = createObjects({ clock: createClock(), settler, commits });
  return { memory, commits, bucket, settler, atHead: atHead.promise, objects, loseRequests: () => (isApplied = false) };
}

describe('a process that ends before its commits have', () => {
  it.each([true, false])('removes nothing that a head may name (the write came through: %s)', async (applied) => {
    const { memory, commits, bucket, settler, atHead, objects, loseRequests } = await slowHeads();
    if (!applied) loseRequests();
    const put = refusal(objects.put({ bucket, key: 'k' }, putOf('x'), testCall()));
    await atHead;
    commits.end(new Error('the process ends'));
    expect(await put).toMatchObject({ kind: 'unavailable', lost: true, detail: { code: 'OutcomeUnknown' } });
    await settler.idle();
    expect((await memory.list('system', { prefix: 'v/', limit: 10 }, testCall())).entries).toHaveLength(1);
  });
});
