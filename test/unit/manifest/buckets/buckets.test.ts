import { describe, expect, it } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { createBucketRegistry } from '../../../../src/manifest/buckets/buckets.ts';
import type { Backend } from '../../../../src/manifest/buckets/realm.ts';
import { SYSTEM_TIME } from '../../../../src/manifest/records/time.ts';
import type { BlobStore, ContainerRequest } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { OWNER, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const list = { ownerId: OWNER, limit: 100 };

describe('buckets', () => {
  it('are created once; the owner may repeat it, others are told that the name is taken', async () => {
    const { buckets } = await testManifest();
    expect(await buckets.create({ name: 'new-bucket', ownerId: OWNER }, testCall())).toBe(true);
    expect(await buckets.create({ name: 'new-bucket', ownerId: OWNER }, testCall())).toBe(false);
    const taken = buckets.create({ name: 'new-bucket', ownerId: 'another' }, testCall());
    await expect(taken).rejects.toMatchObject({ code: 'BucketAlreadyExists' });
  });

  it('one of many racing creators of different accounts owns the name', async () => {
    const { buckets } = await testManifest();
    const owners = ['a', 'b', 'c', 'd', 'e'];
    const outcomes = await Promise.allSettled(
      owners.map((ownerId) => buckets.create({ name: 'raced', ownerId }, testCall())),
    );
    const winners = owners.filter((_, i) => outcomes[i]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect((await buckets.get('raced', testCall())).ownerId).toBe(winners[0]);
  });

  it('whose container has lost its mark are served, and refused when it carries another one', async () => {
    const store = new MemoryBlobStore();
    const backend: Backend = { name: 'memory', store, systemContainer: 'system', ownerId: OWNER };
    const realm = { backends: [backend], backendOf: () => backend };
    const registry = (): ReturnType<typeof createBucketRegistry> =>
      createBucketRegistry({ realm, cacheMs: 0, onHidden: () => undefined });
    await registry().create({ name: 'restored', ownerId: OWNER }, testCall());
    const again = async (request: ContainerRequest): Promise<void> => {
      await store.removeContainer('restored', testCall());
      await store.createContainer('restored', request, testCall());
    };
    await again({});
    expect((await registry().get('restored', testCall())).name).toBe('restored');
    await again({ owner: 'somebody-else' });
    await expect(registry().get('restored', testCall())).rejects.toMatchObject({ code: 'InvalidBucketState' });
  });

  it('missing ones answer NoSuchBucket, and exist the moment they are created', async () => {
    const { buckets } = await testManifest();
    await expect(buckets.get('later', testCall())).rejects.toMatchObject({
      code: 'NoSuchBucket',
      extra: { BucketName: 'later' },
    });
    await buckets.create({ name: 'later', ownerId: OWNER }, testCall());
    expect((await buckets.get('later', testCall())).name).toBe('later');
  });

  it('whose names the service cannot hold lie in a container of another name, and list under their own', async () => {
    const { buckets, objects } = await testManifest();
    await buckets.create({ name: 'dots.in.name', ownerId: OWNER }, testCall());
    const bucket = await buckets.get('dots.in.name', testCall());
    expect(bucket.home.container).toMatch(/^dots-in-name-gw[0-9a-f]{12}$/);
    await objects.put({ bucket, key: 'k' }, putOf('x'), testCall());
    const page = await buckets.list(list, testCall());
    expect(page.buckets.map((b) => b.name)).toEqual(['bucket', 'dots.in.name']);
  });

  it('made by native tools belong to the owner of the backend; names no bucket can have are hidden, and told once', async () => {
    const { buckets, store, objects, hidden } = await testManifest();
    await store.createContainer('native', {}, testCall());
    await store.createContainer('sthree-no-bucket', {}, testCall());
    const bucket = await buckets.get('native', testCall());
    expect(bucket).toMatchObject({ ownerId: OWNER, versioning: 'never' });
    await objects.put({ bucket, key: 'k' }, putOf('x'), testCall());
    expect((await buckets.list(list, testCall())).buckets.map((b) => b.name)).toEqual(['bucket', 'native']);
    expect((await buckets.list({ ...list, ownerId: 'another' }, testCall())).buckets).toEqual([]);
    await buckets.list(list, testCall());
    expect(hidden).toEqual(['sthree-no-bucket']);
    await expect(buckets.get('system', testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
  });

  it('of all owners list without those that were deleted', async () => {
    const { buckets } = await testManifest();
    await buckets.create({ name: 'gone', ownerId: 'another' }, testCall());
    await buckets.create({ name: 'kept', ownerId: 'another' }, testCall());
    await buckets.delete(await buckets.get('gone', testCall()), () => Promise.resolve(true), testCall());
    const page = await buckets.list({ limit: 100 }, testCall());
    expect(page.buckets.map(({ name }) => name)).toEqual(['bucket', 'kept']);
  });

  it('list in pages', async () => {
    const { buckets } = await testManifest();
    for (const name of ['aaa', 'bbb', 'ccc']) await buckets.create({ name, ownerId: OWNER }, testCall());
    expect(await buckets.list({ ...list, limit: 2 }, testCall())).toMatchObject({
      buckets: [{ name: 'aaa' }, { name: 'bbb' }],
      truncated: true,
    });
    expect(await buckets.list({ ...list, limit: 2, after: 'bbb' }, testCall())).toMatchObject({
      buckets: [{ name: 'bucket' }, { name: 'ccc' }],
      truncated: false,
    });
    expect((await buckets.list({ ...list, prefix: 'b' }, testCall())).buckets).toHaveLength(2);
  });

  it('take the next free container name while the service still deletes the old container', async () => {
    const inner = new MemoryBlobStore();
    const busy = new Set(['again']);
    const store = new Proxy(inner, {
      get: (target, name) => {
        if (name === 'createContainer') {
          return async (container: string, request: ContainerRequest, call: ReturnType<typeof testCall>) => {
            if (busy.has(container)) throw new StoreError('containerBusy', { call: 'createContainer' });
            return target.createContainer(container, request, call);
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }) as BlobStore;
    const { buckets, objects } = await testManifest({ store });
    await buckets.create({ name: 'again', ownerId: OWNER }, testCall());
    const bucket = await buckets.get('again', testCall());
    expect(bucket.home.container).toMatch(/^again-gw[0-9a-f]{12}$/);
    await objects.put({ bucket, key: 'k' }, putOf('x'), testCall());
  });
});

describe('deleting a bucket', () => {
  it('is refused while it holds something, and leaves it usable', async () => {
    const { buckets, bucket, objects } = await testManifest();
    await expect(buckets.delete(bucket, () => Promise.resolve(false), testCall())).rejects.toMatchObject({
      code: 'BucketNotEmpty',
    });
    await objects.put({ bucket: await buckets.get('bucket', testCall()), key: 'k' }, putOf('x'), testCall());
  });

  it('sees what another replica wrote between the first look and the mark', async () => {
    const { buckets, bucket } = await testManifest();
    const looks = [true, false];
    const deletion = buckets.delete(bucket, () => Promise.resolve(looks.shift() ?? false), testCall());
    await expect(deletion).rejects.toMatchObject({ code: 'BucketNotEmpty' });
    expect((await buckets.get('bucket', testCall())).uid).toBe(bucket.uid);
  });

  it('makes other replicas refuse uploads that began before it', async () => {
    const { buckets, bucket, realm } = await testManifest();
    const replica = createBucketRegistry({ realm, cacheMs: 20, onHidden: () => undefined });
    const seen = await replica.get('bucket', testCall());
    await buckets.delete(bucket, () => Promise.resolve(true), testCall());
    await expect(replica.confirm(seen, testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
    await buckets.create({ name: 'bucket', ownerId: OWNER }, testCall());
    await expect(replica.confirm(seen, testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
  });

  it('that crashed after its mark is forgotten after a while', async () => {
    let isDead = false;
    const store = withFaults(new MemoryBlobStore(), () => (isDead ? { kind: 'fail' } : undefined));
    const { buckets, bucket, realm } = await testManifest({ store });
    let looks = 0;
    const crash = buckets.delete(
      bucket,
      () => {
        looks += 1;
        isDead = looks === 2;
        return Promise.resolve(true);
      },
      testCall(),
    );
    await expect(crash).rejects.toThrow();
    isDead = false;
    await expect(buckets.get('bucket', testCall())).rejects.toMatchObject({ code: 'OperationAborted' });
    let late = 0;
    const time = { ...SYSTEM_TIME, monotonic: () => performance.now() + late };
    const backend = { ...(realm.backends[0] as Backend), time };
    const later = createBucketRegistry({
      realm: { backends: [backend], backendOf: () => backend },
      cacheMs: 20,
      onHidden: () => undefined,
      time,
    });
    await expect(later.get('bucket', testCall())).rejects.toMatchObject({ code: 'OperationAborted' });
    late = 120_000;
    expect((await later.get('bucket', testCall())).uid).toBe(bucket.uid);
  });
});
