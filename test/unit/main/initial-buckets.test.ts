import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { bucketNames } from '../../../src/main/bucket-rules.ts';
import { makeInitialBuckets } from '../../../src/main/initial-buckets.ts';
import { StartError } from '../../../src/main/start-error.ts';
import { createBucketRegistry } from '../../../src/manifest/index.ts';
import { testCall } from '../../support/test-call.ts';

function world() {
  const backend = { name: 'only', store: new MemoryBlobStore(), systemContainer: 'system', ownerId: 'owner' };
  const { realm } = bucketNames([backend], { rules: [], aliases: [] });
  const open = () => createBucketRegistry({ realm, cacheMs: 0, onHidden: () => undefined });
  const make = (names: readonly string[], buckets = open()) =>
    makeInitialBuckets({ names, defaults: { ownership: 'BucketOwnerEnforced' }, realm, buckets }, testCall());
  return { backend, buckets: open(), open, make };
}

test('buckets that are missing are made, for the owner of the backend and with the defaults', async () => {
  const { buckets, make } = world();
  await make(['photos', 'logs']);
  expect(await buckets.get('photos', testCall())).toMatchObject({
    ownerId: 'owner',
    settings: { ownership: 'BucketOwnerEnforced' },
  });
  expect((await buckets.list({ ownerId: 'owner', limit: 10 }, testCall())).buckets.map(({ name }) => name)).toEqual([
    'logs',
    'photos',
  ]);
});

test('a bucket that is there stays as it is, whoever owns it', async () => {
  const { backend, buckets, make } = world();
  await buckets.create({ name: 'photos', ownerId: 'tenant' }, testCall());
  await backend.store.createContainer('native', {}, testCall());
  await make(['photos', 'native']);
  await make(['photos', 'native']);
  expect(await buckets.get('photos', testCall())).toMatchObject({ ownerId: 'tenant', settings: {} });
  expect(await buckets.get('native', testCall())).toMatchObject({ settings: {} });
});

test('replicas that start together make one bucket', async () => {
  const { buckets, open, make } = world();
  await Promise.all([make(['photos'], open()), make(['photos'], open()), make(['photos'], open())]);
  expect(await buckets.get('photos', testCall())).toMatchObject({ ownerId: 'owner' });
});

test('a name that no bucket can have ends the start with a line that names it', async () => {
  const failure: unknown = await world()
    .make(['No Bucket'])
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartError);
  expect(failure).toMatchObject({ lines: [expect.stringContaining('buckets.initial: No Bucket could not be made')] });
});
