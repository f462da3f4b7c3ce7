import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type FaultPlan, withFaults } from '../../../adapters/memory/faults.ts';
import { MemoryBlobStore, type MemoryStoreOptions } from '../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { type BucketRegistry, createBucketRegistry } from '../../../src/manifest/buckets/buckets.ts';
import { createListing } from '../../../src/manifest/listing/listing.ts';
import { fencedObjects } from '../../../src/manifest/fenced.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import { createSettler } from '../../../src/manifest/versions/settle.ts';
import { readAll } from '../../../src/streams/read-all.ts';
import { putOf } from '../../support/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';
import { codeOf } from './upload-fixture.ts';

const TTL = 1000;
/** Longer than DeleteBucket waits. */
const WAIT = 1100;
const NAME = 'photos';

/** A process: its clocks, its way to the store, what it remembers. */
interface Replica {
  readonly time: TestTime;
  readonly buckets: BucketRegistry;
  readonly objects: Objects;
  plan: FaultPlan;
  create(ownerId: string, name?: string): Promise<boolean>;
  get(name?: string): Promise<Bucket>;
  delete(bucket: Bucket): Promise<string>;
  put(bucket: Bucket, key: string): Promise<string>;
  text(bucket: Bucket, key: string): Promise<string>;
}

function replica(memory: MemoryBlobStore): Replica {
  const time = new TestTime();
  const state: { plan: FaultPlan } = { plan: () => undefined };
  const store = withFaults(memory, (call) => state.plan(call));
  const backend = { name: 'test', store, systemContainer: 'system', ownerId: 'operator', time };
  const buckets = createBucketRegistry({
    realm: { backends: [backend], backendOf: () => backend },
    cacheMs: TTL,
    onHidden: () => undefined,
    time,
  });
  const settler = createSettler({ concurrency: 1, maxQueue: 10, newCall: () => testCall(), onError: () => undefined });
  const raw = createObjects({ clock: createClock(time.now), settler, now: time.now });
  const objects = fencedObjects(raw, (bucket, call) => buckets.acknowledge(bucket, call));
  const listing = createListing();
  return Object.assign(state, {
    time,
    buckets,
    objects,
    create: (ownerId: string, name = NAME) => buckets.create({ name, ownerId }, testCall()),
    get: (name = NAME) => buckets.get(name, testCall()),
    delete: (bucket: Bucket) =>
      codeOf(
        buckets.delete(
          bucket,
          (call) => listing.isEmpty({ ...bucket, home: { ...bucket.home, store } }, call),
          testCall(),
        ),
      ),
    put: (bucket: Bucket, key: string) => codeOf(objects.put(bucket, key, putOf(key), testCall())),
    text: async (bucket: Bucket, key: string) => {
      const opened = await objects.open({ bucket, key }, {}, testCall()).catch((error: unknown) => error);
      return opened instanceof Error
        ? codeOf(Promise.reject(opened))
        : (await readAll((opened as Awaited<ReturnType<Objects['open']>>).body)).toString();
    },
  });
}

interface World {
  readonly memory: MemoryBlobStore;
  readonly a: Replica;
  readonly b: Replica;
  /** Of TENANT, as A has it in memory. */
  readonly bucket: Bucket;
}

async function world(options: MemoryStoreOptions = {}): Promise<World> {
  const memory = new MemoryBlobStore(options);
  const [a, b] = [replica(memory), replica(memory)];
  await a.create('TENANT');
  return { memory, a, b, bucket: await a.get() };
}

/** Until B waits for others to forget. */
async function asleep({ time }: Replica): Promise<void> {
  for (let turns = 0; turns < 1000; turns += 1) await turn();
  expect(time.sleepers).toBeGreaterThan(0);
}

/** Time that somebody waits who looks at a bucket again. */
async function pass({ time }: Replica): Promise<void> {
  time.advance(1600);
  for (let turns = 0; turns < 1000; turns += 1) await turn();
}

describe('DeleteBucket', () => {
  it('is not told "gone" of, nor a writer "stored", when a slow write lands after its last look', async () => {
    const { memory, a, b, bucket } = await world();
    let outcome = Promise.resolve('');
    b.plan = ({ method }) =>
      method !== 'removeContainer'
        ? undefined
        : {
            kind: 'interleave',
            before: async () => {
              a.time.advance(5000);
              outcome = a.put(bucket, 'late');
              await asleep(a);
            },
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    await pass(a);
    expect(await outcome).toBe('NoSuchBucket');
    await expect(memory.headContainer('photos', testCall())).rejects.toMatchObject({ kind: 'containerNotFound' });
  });

  it('that finds something keeps a writer waiting, which is told "stored" then', async () => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    a.time.advance(TTL);
    const outcome = a.put(bucket, 'beside');
    await asleep(a);
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    await pass(a);
    expect(await outcome).toBe('ok');
    expect(await a.text(await a.get(), 'beside')).toBe('beside');
  });

  it('that a slow removal made possible lets it say so', async () => {
    const { a, b, bucket } = await world();
    expect(await a.put(bucket, 'last')).toBe('ok');
    const removal = { hold: Promise.withResolvers<undefined>(), done: Promise.withResolvers<undefined>() };
    a.plan = ({ method }) =>
      method === 'remove'
        ? {
            kind: 'interleave',
            after: async () => {
              removal.done.resolve(undefined);
              await removal.hold.promise;
            },
          }
        : undefined;
    const outcome = codeOf(
      a.objects.remove(
        { bucket, key: 'last', versionId: undefined },
        { conditions: {}, ownerId: 'TENANT' },
        testCall(),
      ),
    );
    await removal.done.promise;
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    a.time.advance(WAIT);
    removal.hold.resolve(undefined);
    expect(await outcome).toBe('ok');
  });

  it.each(['mark', 'tombstone'])('that dies after its %s leaves a writer in doubt, and not for long', async (after) => {
    const { a, b, bucket } = await world();
    b.plan = ({ method }) =>
      method === (after === 'mark' ? 'list' : 'removeContainer')
        ? { kind: 'interleave', before: () => new Promise(() => undefined) }
        : undefined;
    void b.buckets.delete(await b.get(), () => Promise.resolve(true), testCall());
    await asleep(b);
    if (after === 'tombstone') {
      b.time.advance(WAIT);
      for (let turns = 0; turns < 1000; turns += 1) await turn();
    }
    a.time.advance(TTL);
    const outcome = a.put(bucket, 'doubtful');
    await asleep(a);
    for (let pauses = 0; pauses < 10 && a.time.isAsleep; pauses += 1) await pass(a);
    expect(a.time.isAsleep).toBe(false);
    expect(await outcome).toBe('ServiceUnavailable');
    expect(a.time.monotonic()).toBeLessThan(20_000);
  });

  it('sees what was acknowledged by a record that was still fresh', async () => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    a.time.advance(TTL - 1);
    expect(await a.put(bucket, 'fresh')).toBe('ok');
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    a.time.advance(1);
    expect(await a.text(await a.get(), 'fresh')).toBe('fresh');
  });

  it('a write that takes longer than records are remembered asks once more, and is stored when nobody deletes', async () => {
    const { a, bucket } = await world();
    const reads: string[] = [];
    a.plan = ({ method, ref }) => {
      if (method === 'read') reads.push(ref.name ?? '');
      return undefined;
    };
    expect(await a.put(bucket, 'fast')).toBe('ok');
    expect(reads).toEqual([]);
    a.time.advance(5000);
    expect(await a.put(bucket, 'slow')).toBe('ok');
    expect(reads).toEqual(['b/photos']);
  });

  it.each(['was stopped for 61.5 s', 'has a clock that is 90 s behind'])(
    'removes nothing when it %s and others have taken its mark away',
    async (what) => {
      const { a, b, bucket } = await world();
      if (what.includes('behind')) b.time.setWall(-90_000);
      const deletion = b.delete(await b.get());
      await asleep(b);
      a.time.advance(TTL);
      expect(await codeOf(a.get())).toBe('OperationAborted');
      a.time.advance(61_500);
      const revived = await a.get();
      expect(revived.uid).toBe(bucket.uid);
      expect(await a.put(revived, 'acknowledged')).toBe('ok');
      b.time.advance(61_500);
      expect(await deletion).toMatch(/BucketNotEmpty|OperationAborted/);
      expect(await a.text(revived, 'acknowledged')).toBe('acknowledged');
    },
  );

  it('does not remove what came between its last look and the tombstone, because its mark is gone', async () => {
    const { a, b } = await world();
    b.plan = ({ method, ref, count }) =>
      method !== 'list' || ref.container !== 'photos' || count < 2
        ? undefined
        : {
            kind: 'interleave',
            after: async () => {
              await a.create('TENANT');
              expect(await a.put(await a.get(), 'kept')).toBe('ok');
            },
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('OperationAborted');
    expect(await a.text(await a.get(), 'kept')).toBe('kept');
  });

  it("a held write for the deleted bucket does not land in the next owner's of that name", async () => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    expect(await b.create('ALT')).toBe(true);
    const next = await b.get();
    expect(next).toMatchObject({ ownerId: 'ALT', name: NAME });
    expect(next.home.container).not.toBe(bucket.home.container);
    expect(await a.put(bucket, 'held')).not.toBe('ok');
    expect(await b.text(next, 'held')).toBe('NoSuchKey');
  });

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

  it('has leftovers of deleted keys removed, and nothing else', async () => {
    const { memory, b } = await world({ capabilities });
    await memory.write(
      { container: 'photos', name: 'void' },
      Buffer.from(''),
      { metadata: { s3gw: '{"v":1,"k":"v","s":1}' } },
      testCall(),
    );
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    await expect(memory.headContainer('photos', testCall())).rejects.toMatchObject({ kind: 'containerNotFound' });
  });
});

describe('a bucket that is remembered', () => {
  it.each<[string, (time: TestTime) => void]>([
    [
      'when the clock is set back by ten minutes',
      (time) => {
        time.setWall(-600_000);
        time.advance(TTL);
      },
    ],
    ['when the machine stood still and only the clock knows', (time) => time.setWall(TTL)],
  ])('is not remembered for longer %s', async (_what, pass) => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    await b.create('ALT');
    expect((await a.get()).uid).toBe(bucket.uid);
    pass(a.time);
    expect((await a.get()).ownerId).toBe('ALT');
  });

  it('is read for all who ask, also when the first of them hangs up', async () => {
    const { a } = await world();
    a.time.advance(TTL);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    a.plan = ({ method }) =>
      method === 'read' && (reads += 1) > 0 ? { kind: 'interleave', before: () => gate } : undefined;
    const client = new AbortController();
    const first = codeOf(a.buckets.get(NAME, testCall(client.signal)));
    const others = [a.get(), a.get()];
    client.abort();
    expect(await first).toBe('aborted');
    release();
    expect((await Promise.all(others)).map(({ name }) => name)).toEqual([NAME, NAME]);
    expect(reads).toBe(1);
  });

  it('that is missing is remembered for strangers only, and not once it was made here', async () => {
    const { a } = await world();
    let reads = 0;
    a.plan = ({ method }) => {
      if (method === 'read') reads += 1;
      return undefined;
    };
    const ask = (): Promise<string> => codeOf(a.buckets.getForStranger('other', testCall()));
    expect([await ask(), await ask(), reads]).toEqual(['NoSuchBucket', 'NoSuchBucket', 1]);
    expect([await codeOf(a.get('other')), reads]).toEqual(['NoSuchBucket', 2]);
    a.time.advance(TTL);
    expect([await ask(), reads]).toEqual(['NoSuchBucket', 3]);
    await a.create('TENANT', 'other');
    expect(await ask()).toBe('ok');
  });
});
