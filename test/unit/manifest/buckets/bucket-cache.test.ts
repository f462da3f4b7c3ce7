import { expect, it } from 'vitest';
import { createBucketCache } from '../../../../src/manifest/buckets/bucket-cache.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { SYSTEM_TIME } from '../../../../src/manifest/records/time.ts';
import { testCall } from '../../../support/test-call.ts';

const bucketOf = (name: string, policy: string): Bucket =>
  ({ name, ownerId: 'o', versioning: 'never', settings: policy === '' ? {} : { policy } }) as unknown as Bucket;

function cacheOf(policy: (name: string) => string): ReturnType<typeof createBucketCache> {
  return createBucketCache({ read: async (name) => bucketOf(name, policy(name)), cacheMs: 60_000, time: SYSTEM_TIME });
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => `bucket-${at}`);

it('records with long documents are remembered up to some megabytes, those read last', async () => {
  const cache = cacheOf((name) => 'x'.repeat(64 * 1024) + name);
  const names = numbers(1000);
  for (const name of names) await cache.get(name, testCall());
  const kept = names.filter((name) => cache.remembered(name) !== undefined);
  expect(kept.length).toBeLessThan(150);
  expect(kept).toEqual(names.slice(-kept.length));
  expect(kept.length).toBeGreaterThan(50);
});

it('what was forgotten, or read anew, counts no more', async () => {
  const cache = cacheOf((name) => (name === 'long' ? 'x'.repeat(64 * 1024) : ''));
  await cache.get('first', testCall());
  for (let at = 0; at < 1000; at += 1) {
    await cache.load('long', testCall());
    if (at % 2 === 0) await cache.forgetAfter('long', Promise.resolve());
  }
  expect(cache.remembered('first')).toBeDefined();
});

it('ten thousand plain records fit, and the one read last stays however large it is', async () => {
  const cache = cacheOf((name) => (name === 'huge' ? 'x'.repeat(40 * 1024 * 1024) : ''));
  for (const name of numbers(10_000)) await cache.get(name, testCall());
  expect(numbers(10_000).every((name) => cache.remembered(name) !== undefined)).toBe(true);
  await cache.get('huge', testCall());
  expect(cache.remembered('huge')).toBeDefined();
  expect(cache.remembered('bucket-9999')).toBeUndefined();
});
