import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { createKeyCodec } from '../../../src/store/key-codec.ts';
import type { NameOrder } from '../../../src/store/name-order.ts';
import { putOf, testManifest } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { expectedEntries, label, scenario, walkPages } from './listing-model.ts';

const RUNS = 800;
interface Setting {
  readonly nameOrder: NameOrder;
  readonly maxNameLength: number;
}

async function bucketWith(
  keys: readonly string[],
  options: Setting & { maxListPage: number; emptyPages: boolean },
): Promise<Bucket> {
  const { nameOrder, maxNameLength, maxListPage } = options;
  const memory = new MemoryBlobStore({ capabilities: { nameOrder, maxNameLength, maxListPage } });
  const faulty = withFaults(memory, ({ method, count }) =>
    method === 'list' && count % 2 === 1 ? { kind: 'emptyPage' } : undefined,
  );
  const { bucket, objects } = await testManifest({ store: options.emptyPages ? faulty : memory });
  for (const key of new Set(keys)) await objects.put({ bucket, key }, putOf(key), testCall());
  return bucket;
}

describe.each<Setting>([
  { nameOrder: 'utf8', maxNameLength: 1024 },
  { nameOrder: 'utf16', maxNameLength: 1024 },
  { nameOrder: 'utf8', maxNameLength: 64 },
  { nameOrder: 'utf16', maxNameLength: 64 },
])('listing a store in the order of $nameOrder with names up to $maxNameLength', (setting) => {
  it('shows each key or prefix once, in the order of UTF-8 bytes, over any number of pages', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ keys, ...options }) => {
        const bucket = await bucketWith(keys, { ...setting, ...options });
        const pages = await walkPages(bucket, options);
        expect(pages.flat().map(label)).toEqual(expectedEntries(keys, options));
        // Only a page with more behind it may be short, and here nothing is hidden.
        expect(pages.slice(0, -1).every((page) => page.length === options.limit)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  }, 180_000);

  it('goes on behind any entry with its key as marker', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ keys, ...options }) => {
        const bucket = await bucketWith(keys, { ...setting, ...options });
        const all = expectedEntries(keys, { ...options, after: '' });
        const at = all[Math.floor(all.length / 2)];
        if (at === undefined) return;
        const pages = await walkPages(bucket, { ...options, after: at.slice(2) });
        expect(pages.flat().map(label)).toEqual(all.slice(all.indexOf(at) + 1));
      }),
      { numRuns: RUNS },
    );
  }, 180_000);
});

describe('the model itself', () => {
  it('meets escaped and cut names', () => {
    const codec = createKeyCodec({ nameOrder: 'utf16', maxNameLength: 64 });
    const sample = fc.sample(scenario, 200).flatMap(({ keys }) => keys.map((key) => codec.encode(key)));
    expect(sample.filter(({ region }) => region === 'escaped').length).toBeGreaterThan(500);
    expect(sample.filter(({ needsTrueKey }) => needsTrueKey).length).toBeGreaterThan(100);
  });
});
