import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { propertySeed } from '../support/property-seed.ts';
import { fuzz } from './fuzz.ts';

const REQUESTS = 3000;
/** The bucket of the fuzzer fills up, in the same process; beyond that nothing stays. */
const MAX_GROWTH = 48 * 2 ** 20;

test(`${REQUESTS} random requests: no 5xx, nothing of others seen or changed, memory given back`, async () => {
  const { statuses, failures, damage, grownBytes, servedAfter } = await fuzz({
    requests: REQUESTS,
    seed: propertySeed,
    store: new MemoryBlobStore(),
  });
  expect(failures).toEqual([]);
  expect(damage).toBe('');
  expect(servedAfter).toBe(true);
  expect(grownBytes).toBeLessThan(MAX_GROWTH);
  // Not a fuzzer that never gets past the door.
  expect(statuses['200'] ?? 0).toBeGreaterThan(REQUESTS / 50);
  expect(statuses['403'] ?? 0).toBeGreaterThan(REQUESTS / 50);
}, 120_000);
