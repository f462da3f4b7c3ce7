import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshContainer } from '../../support/backends/azurite.ts';
import { CLOUDS } from '../../support/backends/clouds.ts';
import { OWNER, putOf, testManifest } from '../../support/manifest/manifest.ts';
import { dropContainer } from '../../support/backends/drop-container.ts';
import { testCall } from '../../support/test-call.ts';
import { expectedEntries, label, scenario, walkPages } from './listing-model.ts';
import { openedCloud } from './opened-cloud.ts';
import { runsAtCost } from '../runs.ts';

const RUNS = runsAtCost(2);

describe.each(Object.keys(CLOUDS))('listing a bucket on %s', (name) => {
  const storeOf = openedCloud(name);

  it(
    'shows each key or prefix once, in the order of UTF-8 bytes, over any number of pages',
    async () => {
      const store = storeOf();
      const { buckets, objects } = await testManifest({ store });
      await fc.assert(
        fc.asyncProperty(scenario, async ({ keys, ...request }) => {
          const name = freshContainer();
          await buckets.create({ name, ownerId: OWNER }, testCall());
          const bucket = await buckets.get(name, testCall());
          await Promise.all([...new Set(keys)].map((key) => objects.put({ bucket, key }, putOf(key), testCall())));
          const pages = await walkPages(bucket, request);
          expect(pages.flat().map(label)).toEqual(expectedEntries(keys, request));
          await dropContainer(store, bucket.home.container);
        }),
        { numRuns: RUNS },
      );
    },
    60_000 + RUNS * 1000,
  );
});
