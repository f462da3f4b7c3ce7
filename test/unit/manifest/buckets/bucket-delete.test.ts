import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { type Objects, createObjects } from '../../../../src/manifest/objects/objects.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { createSettler } from '../../../../src/manifest/versions/settle.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { codeOf } from '../upload-fixture.ts';
import { TTL, WAIT, NAME, world, asleep, pass } from './two-replicas.ts';

describe('DeleteBucket', () => {
  it('two at once: one deletes, and the other does not say so', async () => {
    const { a, b, bucket } = await world();
    const first = a.delete(bucket);
    await asleep(a);
    const second = b.delete(await b.get().catch(() => bucket));
    await asleep(b);
    a.time.advance(WAIT);
    expect(await first).toBe('OperationAborted');
    b.time.advance(WAIT);
    expect(await second).toBe('ok');
    expect(await codeOf(a.get())).toBe('NoSuchBucket');
  });

  it.each(['loseAnswer', 'loseRequest'] as const)('survives each answer that is lost: %s', async (kind) => {
    for (const lost of ['mark', 'tombstone', 'removal']) {
      const { b, memory } = await world();
      const bucket = await b.get();
      let writes = 0;
      b.plan = ({ method, ref, count }) => {
        const isRecord = method === 'write' && ref.name === 'b/photos';
        if (isRecord) writes += 1;
        const hit =
          lost === 'removal'
            ? method === 'removeContainer' && count === 1
            : isRecord && writes === (lost === 'mark' ? 1 : 2);
        return hit ? { kind } : undefined;
      };
      const deletion = b.delete(bucket);
      await asleep(b);
      b.time.advance(WAIT);
      expect([lost, await deletion]).toEqual([lost, 'ok']);
      await expect(memory.headContainer('photos', testCall())).rejects.toMatchObject({ kind: 'containerNotFound' });
    }
  });

  it('refuses in silence when its client had left before it began', async () => {
    const { b } = await world();
    const bucket = await b.get();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      expect(await codeOf(b.buckets.delete(bucket, () => Promise.resolve(false), testCall(AbortSignal.abort())))).toBe(
        'aborted',
      );
      for (let turns = 0; turns < 10; turns += 1) await turn();
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).toEqual([]);
  });

  it('is taken over by another one where it died, with the mark in place', async () => {
    const { a, b, bucket } = await world();
    void a.delete(bucket);
    await asleep(a);
    expect(await codeOf(b.get())).toBe('OperationAborted');
    const again = b.delete(await b.buckets.getToDelete(NAME, testCall()));
    await asleep(b);
    b.time.advance(WAIT);
    expect(await again).toBe('ok');
    expect(await codeOf(b.get())).toBe('NoSuchBucket');
    expect(await codeOf(b.buckets.getToDelete(NAME, testCall()))).toBe('NoSuchBucket');
  });

  it('that finds something takes the mark away of one that died', async () => {
    const { a, b, bucket } = await world();
    expect(await a.put(bucket, 'kept')).toBe('ok');
    void codeOf(a.buckets.delete(bucket, () => Promise.resolve(true), testCall())); // is not heard of again
    await asleep(a);
    expect(await codeOf(b.get())).toBe('OperationAborted');
    expect(await b.delete(await b.buckets.getToDelete(NAME, testCall()))).toBe('BucketNotEmpty');
    expect(await b.put(await b.get(), 'more')).toBe('ok');
    expect(await b.text(await b.get(), 'kept')).toBe('kept');
  });

  it('whose mark was taken away meanwhile removes nothing', async () => {
    const { a, b, bucket } = await world();
    const first = a.delete(bucket);
    await asleep(a);
    const marked = await b.buckets.getToDelete(NAME, testCall());
    expect(await codeOf(b.buckets.delete(marked, () => Promise.resolve(false), testCall()))).toBe('BucketNotEmpty');
    a.time.advance(WAIT);
    expect(await first).toBe('OperationAborted');
    expect(await b.put(await b.get(), 'after')).toBe('ok');
  });

  it.each(['headContainer', 'list', 'removeContainer'])(
    'a CreateBucket whose %s comes after it has removed the container makes a bucket',
    async (method) => {
      const { a, b, bucket, memory } = await world();
      a.plan = (call) => (call.method === 'removeContainer' ? { kind: 'fail', error: 'unavailable' } : undefined);
      const deletion = a.delete(bucket);
      await asleep(a);
      a.time.advance(WAIT);
      expect(await deletion).toBe('unavailable');
      let met = 0;
      b.plan = (call) => {
        if (call.method !== method || ('container' in call.ref && call.ref.container !== bucket.home.container)) {
          return undefined;
        }
        met += 1;
        return met === 1
          ? { kind: 'interleave', before: () => memory.removeContainer(bucket.home.container, testCall()) }
          : undefined;
      };
      expect(await b.create('ALT')).toBe(true);
      expect(met).toBeGreaterThan(0);
      expect((await b.get()).ownerId).toBe('ALT');
    },
  );

  it('goes on when its client hangs up', async () => {
    const { b } = await world();
    const bucket = await b.get();
    const client = new AbortController();
    const deletion = codeOf(b.buckets.delete(bucket, () => Promise.resolve(true), testCall(client.signal)));
    await asleep(b);
    client.abort();
    expect(await deletion).toBe('aborted');
    b.time.advance(WAIT);
    for (let turns = 0; turns < 1000; turns += 1) await turn();
    expect(await codeOf(b.get())).toBe('NoSuchBucket');
  });
});

describe('a service that removes empty containers only', () => {
  const capabilities = { removesFullContainers: false };

  it('is believed when it refuses: the bucket lives on, with what came at the last moment', async () => {
    const { memory, a, b } = await world({ capabilities });
    b.plan = ({ method, count }) =>
      method !== 'removeContainer' || count > 1
        ? undefined
        : {
            kind: 'interleave',
            before: () =>
              memory.write(
                { container: 'photos', name: 'native' },
                Buffer.from('native'),
                { metadata: {} },
                testCall(),
              ),
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    a.time.advance(TTL);
    expect(await a.text(await a.get(), 'native')).toBe('native');
  });

  it('is believed by a writer that came after the last look, too', async () => {
    const { a, b, bucket } = await world({ capabilities });
    let outcome = Promise.resolve('');
    b.plan = ({ method, count }) =>
      method !== 'removeContainer' || count > 1
        ? undefined
        : {
            kind: 'interleave',
            before: async () => {
              a.time.advance(TTL);
              outcome = a.put(bucket, 'kept');
              await asleep(a);
            },
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    await pass(a);
    expect(await outcome).toBe('ok');
    expect(await a.text(await a.get(), 'kept')).toBe('kept');
  });

  it.each<[string, number, string]>([
    ['at once', 0, 'ok'],
    ['when some removals were not answered', 1, 'ok'],
    ['unless they never are', 9, 'BucketNotEmpty'],
  ])('has leftovers of deleted keys removed, and nothing else: %s', async (_when, lost, outcome) => {
    const { memory, a, b } = await world({ capabilities });
    for (const name of Array.from({ length: 9 }, (_, place) => `void${place}`)) {
      await memory.write(
        { container: 'photos', name },
        Buffer.from(''),
        { metadata: { s3gw: '{"v":1,"k":"v","s":1}' } },
        testCall(),
      );
    }
    b.plan = ({ method, count }) => (method === 'removeMany' && count <= lost ? { kind: 'removeSome' } : undefined);
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe(outcome);
    a.time.advance(TTL);
    expect(await codeOf(a.get())).toBe(outcome === 'ok' ? 'NoSuchBucket' : 'ok');
    const container = await codeOf(memory.headContainer('photos', testCall()));
    expect(container === 'ok').toBe(outcome !== 'ok');
  });

  it('brings no version back whose deletion was committed and not finished', async () => {
    const { memory, a, b } = await world({ capabilities });
    const { objects, bucket } = versionedObjects(memory, await a.get());
    const one = await objects.put({ bucket, key: 'k' }, putOf('one'), testCall());
    const two = await objects.put({ bucket, key: 'k' }, putOf('two'), testCall());
    const target = { bucket, key: 'k', versionId: one.versionId };
    const request = { conditions: {}, ownerId: 'TENANT' };
    await objects.remove({ ...target, versionId: two.versionId }, request, testCall());
    // Cut off between its commit and the removal of the blob.
    const cut = withFaults(memory, ({ method, ref }) =>
      method === 'remove' && ref.name?.endsWith(one.versionId) === true ? { kind: 'loseRequest' } : undefined,
    );
    const throughCut = { ...bucket, home: { ...bucket.home, store: cut } };
    expect(await codeOf(objects.remove({ ...target, bucket: throughCut }, request, testCall()))).toBe('unavailable');
    b.plan = ({ method, count }) =>
      method !== 'removeMany' || count > 1
        ? undefined
        : {
            kind: 'interleave',
            after: () =>
              memory.write({ container: 'photos', name: 'native' }, Buffer.from('n'), { metadata: {} }, testCall()),
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    expect(await codeOf(objects.find(target, testCall()))).toBe('NoSuchVersion');
  });
});

/** What a process does to the bucket when it has versioning, without the waiting that switching it costs. */
function versionedObjects(memory: BlobStore, found: Bucket): { objects: Objects; bucket: Bucket } {
  const settler = createSettler({ concurrency: 1, maxQueue: 10, newCall: () => testCall(), onError: () => undefined });
  const objects = createObjects({ clock: createClock(), settler });
  return { objects, bucket: { ...found, versioning: 'enabled', home: { ...found.home, store: memory } } };
}
