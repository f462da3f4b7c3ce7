import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GcsDouble, createGcsStore, startGcsDouble } from '../../../adapters/gcs/index.ts';
import { World } from '../spec/world.ts';

/**
 * Names of Cloud Storage buckets are everybody's: what others have taken under our prefix is not ours to see, nor to
 * fill.
 */
let double: GcsDouble;
let world: World;

beforeAll(async () => {
  double = await startGcsDouble({
    foreignBuckets: { 'acme-closed': 'closed', 'acme-open': 'open', [`acme-${'x'.repeat(58)}`]: 'closed' },
  });
  world = await World.open(
    {},
    createGcsStore({
      endpoint: double.endpoint,
      credential: { kind: 'anonymous' },
      bucketPrefix: 'acme-',
      pinsSources: true,
    }),
  );
});

afterAll(async () => {
  await world.close();
  await double.stop();
});

test.each(['closed', 'open', 'x'.repeat(58)])('a bucket whose name somebody else has: %s', async (name) => {
  expect(await world.outcome('HEAD', `/${name}`)).toMatch(/^404/);
  expect(await world.outcome('PUT', `/${name}/key`, { body: 'bytes' })).toBe('404 NoSuchBucket');

  for (let times = 0; times < 2; times += 1) await world.must('PUT', `/${name}`);
  await world.put(`/${name}/key`, 'for us alone');
  expect((await world.must('GET', `/${name}/key`)).body).toBe('for us alone');
  expect((await world.must('GET', '/')).body).toContain(`<Name>${name}</Name>`);

  expect(double.state.buckets.get(`acme-${name}`)?.objects.size).toBe(0);
  const others = [...double.state.buckets.keys()].filter(
    (bucket) => bucket.startsWith(`acme-${name.slice(0, 20)}`) && bucket !== `acme-${name}`,
  );
  expect(others).toEqual([expect.stringMatching(/-gw[0-9a-f]{12}$/)]);
  expect(others[0]?.length).toBeLessThanOrEqual(63);

  await world.must('DELETE', `/${name}/key`);
  await world.must('DELETE', `/${name}`);
  expect(await world.outcome('GET', `/${name}`)).toBe('404 NoSuchBucket');
});
