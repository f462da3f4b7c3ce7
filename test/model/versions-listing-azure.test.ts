import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AzuriteProcess, createAzureStore, startAzurite } from '../../adapters/azure/index.ts';
import { freshContainer } from '../support/azurite.ts';
import { OWNER, testManifest } from '../support/manifest.ts';
import { testCall } from '../support/test-call.ts';
import { expectedEntries, label, walkPages } from '../unit/manifest/listing-model.ts';
import { ModelledBucket, play, versionsScenario, walkVersions } from '../unit/manifest/versions-model.ts';

const RUNS = 40;

let azurite: AzuriteProcess;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(async () => {
  await azurite.stop();
});

describe('listing a bucket with versions on Azurite', () => {
  it('shows each version once, by key and newest first, and of objects the live ones, over any number of pages', async () => {
    const store = createAzureStore(azurite.storeOptions);
    const { buckets, objects, settler } = await testManifest({ store });
    let versions = 0;
    await fc.assert(
      fc.asyncProperty(versionsScenario, async (scenario) => {
        const name = freshContainer();
        await buckets.create({ name, ownerId: OWNER }, testCall());
        const model = new ModelledBucket(await buckets.get(name, testCall()), objects);
        await play(model, { keys: scenario.keys, steps: scenario.steps.slice(0, 20) });
        await settler.idle();
        const shown = (await walkVersions(model.bucket, scenario)).flat();
        expect(shown).toEqual(model.expected(scenario));
        versions += shown.length;
        expect((await walkPages(model.bucket, scenario)).flat().map(label)).toEqual(expectedEntries(model.liveKeys(), scenario));
        await store.removeContainer(model.bucket.home.container, testCall());
      }),
      { numRuns: RUNS },
    );
    expect(versions).toBeGreaterThan(2 * RUNS);
    await store.close();
  }, 240_000);
});
