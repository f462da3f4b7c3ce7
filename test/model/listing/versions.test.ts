import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { createListing } from '../../../src/manifest/listing/listing.ts';
import type { NameOrder } from '../../../src/store/name-order.ts';
import { testManifest } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { expectedEntries, label, walkPages } from './listing-model.ts';
import { ModelledBucket, type VersionsScenario, play, versionsScenario, walkVersions } from './versions-model.ts';

const RUNS = 400;

interface Setting {
  readonly nameOrder: NameOrder;
  readonly maxNameLength: number;
}

async function modelled({ nameOrder, maxNameLength }: Setting, scenario: VersionsScenario): Promise<ModelledBucket> {
  const { maxListPage, emptyPages } = scenario;
  const memory = new MemoryBlobStore({ capabilities: { nameOrder, maxNameLength, maxListPage } });
  let faulty = false;
  const store = withFaults(memory, ({ method, count }) =>
    faulty && method === 'list' && count % 2 === 1 ? { kind: 'emptyPage' } : undefined,
  );
  const { bucket, objects, settler } = await testManifest({ store });
  const model = new ModelledBucket(bucket, objects);
  await play(model, scenario);
  await settler.idle();
  faulty = emptyPages;
  return model;
}

describe.each<Setting>([
  { nameOrder: 'utf8', maxNameLength: 1024 },
  { nameOrder: 'utf16', maxNameLength: 1024 },
  { nameOrder: 'utf8', maxNameLength: 130 },
  { nameOrder: 'utf16', maxNameLength: 130 },
])('versions on a store in the order of $nameOrder with names up to $maxNameLength', (setting) => {
  it('are listed once, by key and newest first, over any number of pages', async () => {
    await fc.assert(
      fc.asyncProperty(versionsScenario, async (scenario) => {
        const model = await modelled(setting, scenario);
        const pages = await walkVersions(model.bucket, scenario);
        expect(pages.flat()).toEqual(model.expected(scenario));
        expect(pages.every((page) => page.length <= scenario.limit)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('go on behind any of them', async () => {
    await fc.assert(
      fc.asyncProperty(versionsScenario, fc.nat({ max: 1000 }), async (scenario, nth) => {
        const model = await modelled(setting, scenario);
        const shown = scenario.keys.flatMap((key) =>
          model.versionsOf(key).map(({ id }) => ({ after: key, afterVersion: id })),
        );
        const place = shown[nth % shown.length];
        if (place === undefined) return;
        const pages = await walkVersions(model.bucket, { ...scenario, ...place });
        expect(pages.flat()).toEqual(model.expected({ ...scenario, ...place }));
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('hide keys whose newest is a delete marker from listings of objects, and their prefixes', async () => {
    await fc.assert(
      fc.asyncProperty(versionsScenario, async (scenario) => {
        const model = await modelled(setting, scenario);
        const pages = await walkPages(model.bucket, scenario);
        expect(pages.flat().map(label)).toEqual(expectedEntries(model.liveKeys(), scenario));
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('and markers are what makes a bucket not empty', async () => {
    await fc.assert(
      fc.asyncProperty(versionsScenario, async (scenario) => {
        const model = await modelled(setting, scenario);
        const isEmpty = scenario.keys.every((key) => model.versionsOf(key).length === 0);
        expect(await createListing().isEmpty(model.bucket, testCall())).toBe(isEmpty);
      }),
      { numRuns: RUNS / 5 },
    );
  }, 120_000);
});

describe('the model itself', () => {
  it('has histories with markers, null versions amid others and prefixes without anything alive', async () => {
    const seen = { versions: 0, markers: 0, nullBelow: 0, prefixes: 0, emptyPrefixes: 0 };
    for (const scenario of fc.sample(versionsScenario, 200)) {
      const model = await modelled({ nameOrder: 'utf16', maxNameLength: 1024 }, { ...scenario, emptyPages: false });
      for (const text of model.expected(scenario)) {
        seen.versions += text.startsWith('v') ? 1 : 0;
        seen.markers += text.startsWith('m') ? 1 : 0;
        seen.nullBelow += /^[vm]:.*@null$/s.test(text) ? 1 : 0;
        seen.prefixes += text.startsWith('p') ? 1 : 0;
        seen.emptyPrefixes +=
          text.startsWith('p') && !expectedEntries(model.liveKeys(), scenario).includes(text) ? 1 : 0;
      }
    }
    expect(seen.versions).toBeGreaterThan(500);
    expect(seen.markers).toBeGreaterThan(200);
    expect(seen.nullBelow).toBeGreaterThan(50);
    expect(seen.prefixes).toBeGreaterThan(50);
    expect(seen.emptyPrefixes).toBeGreaterThan(10);
  });
});
