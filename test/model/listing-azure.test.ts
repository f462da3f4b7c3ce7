import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AzuriteProcess, createAzureStore, startAzurite } from '../../adapters/azure/index.ts';
import { freshContainer } from '../support/azurite.ts';
import { OWNER, putOf, testManifest } from '../support/manifest.ts';
import { testCall } from '../support/test-call.ts';
import { expectedEntries, label, scenario, walkPages } from '../unit/manifest/listing-model.ts';

const RUNS = 60;

let azurite: AzuriteProcess;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(async () => {
  await azurite.stop();
});

describe('listing a bucket on Azurite', () => {
  it('shows each key or prefix once, in the order of UTF-8 bytes, over any number of pages', async () => {
    const store = createAzureStore(azurite.storeOptions);
    const { buckets, objects } = await testManifest({ store });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ keys, ...request }) => {
        const name = freshContainer();
        await buckets.create({ name, ownerId: OWNER }, testCall());
        const bucket = await buckets.get(name, testCall());
        await Promise.all([...new Set(keys)].map((key) => objects.put(bucket, key, putOf(key), testCall())));
        const pages = await walkPages(bucket, request);
        expect(pages.flat().map(label)).toEqual(expectedEntries(keys, request));
        await store.removeContainer(bucket.home.container, testCall());
      }),
      { numRuns: RUNS },
    );
    await store.close();
  }, 120_000);
});
