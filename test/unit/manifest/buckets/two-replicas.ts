import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { type FaultPlan, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore, type MemoryStoreOptions } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { type BucketRegistry, createBucketRegistry } from '../../../../src/manifest/buckets/buckets.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { guardedObjects } from '../../../../src/manifest/guards.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { type Objects, createObjects } from '../../../../src/manifest/objects/objects.ts';
import { createSettler } from '../../../../src/manifest/versions/settle.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import { putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { TestTime } from '../../../support/test-time.ts';
import { codeOf } from '../upload-fixture.ts';

export const TTL = 1000;
/** Longer than DeleteBucket waits. */
export const WAIT = 1100;
export const NAME = 'photos';

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
  const objects = guardedObjects(raw, buckets);
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
    put: (bucket: Bucket, key: string) => codeOf(objects.put({ bucket, key }, putOf(key), testCall())),
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

export async function world(options: MemoryStoreOptions = {}): Promise<World> {
  const memory = new MemoryBlobStore(options);
  const [a, b] = [replica(memory), replica(memory)];
  await a.create('TENANT');
  return { memory, a, b, bucket: await a.get() };
}

/** Until B waits for others to forget. */
export async function asleep({ time }: Replica): Promise<void> {
  for (let turns = 0; turns < 1000; turns += 1) await turn();
  expect(time.sleepers).toBeGreaterThan(0);
}

/** Time that somebody waits who looks at a bucket again. */
export async function pass({ time }: Replica): Promise<void> {
  time.advance(1600);
  for (let turns = 0; turns < 1000; turns += 1) await turn();
}
