import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshContainer } from '../../support/backends/azurite.ts';
import { CLOUDS } from '../../support/backends/clouds.ts';
import { OWNER, testManifest } from '../../support/manifest/manifest.ts';
import { dropContainer } from '../../support/backends/drop-container.ts';
import { testCall } from '../../support/test-call.ts';
import { expectedEntries, label, walkPages } from './listing-model.ts';
import { ModelledBucket, play, versionsScenario, walkVersions } from './versions-model.ts';
import { openedCloud } from './opened-cloud.ts';
import { runsAtCost } from '../runs.ts';

const RUNS = runsAtCost(3);
const MAX_STEPS = 20;

describe.each(Object.keys(CLOUDS))('listing a bucket with versions on %s', (name) => {
  const storeOf = openedCloud(name);

  it(
    'shows each version once, by key and newest first, and of objects the live ones, over any number of pages',
    async () => {
      const store = storeOf();
      const { buckets, objects, settler } = await testManifest({ store });
      let versions = 0;
      await fc.assert(
        fc.asyncProperty(versionsScenario, async (scenario) => {
          const name = freshContainer();
          await buckets.create({ name, ownerId: OWNER }, testCall());
          const model = new ModelledBucket(await buckets.get(name, testCall()), objects);
          await play(model, { keys: scenario.keys, steps: scenario.steps.slice(0, MAX_STEPS) });
          await settler.idle();
          const shown = (await walkVersions(model.bucket, scenario)).flat();
          expect(shown).toEqual(model.expected(scenario));
          versions += shown.length;
          expect((await walkPages(model.bucket, scenario)).flat().map(label)).toEqual(
            expectedEntries(model.liveKeys(), scenario),
          );
          await dropContainer(store, model.bucket.home.container);
        }),
        { numRuns: RUNS },
      );
      expect(versions).toBeGreaterThan(2 * RUNS);
    },
    60_000 + RUNS * 5000,
  );
});
