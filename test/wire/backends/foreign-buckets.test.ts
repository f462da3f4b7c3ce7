import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGcsStore } from '../../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { World } from '../spec/world.ts';

/**
 * Names of Cloud Storage buckets are everybody's: what others have taken under our prefix is not ours to see, nor to
 * fill.
 */
let double: GcsDouble;
let world: World;

/** A process of its own: it remembers nothing. */
function open(): Promise<World> {
  const store = createGcsStore({
    endpoint: double.endpoint,
    credential: { kind: 'anonymous' },
    bucketPrefix: 'acme-',
    pinsSources: true,
  });
  return World.open({}, store);
}

beforeAll(async () => {
  double = await startGcsDouble({
    foreignBuckets: { 'acme-closed': 'closed', 'acme-open': 'open', [`acme-${'x'.repeat(58)}`]: 'closed' },
    // Words of other years: no answer may depend on them.
    missingBucketWords: 'Not Found',
  });
  world = await open();
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

/** All that goes to the container of the bucket. */
const REQUESTS = [
  ['GET', ''],
  ['GET', '?list-type=2'],
  ['GET', '/key'],
  ['PUT', '/key'],
  ['PUT', '/other'],
  ['DELETE', '/key'],
] as const;

async function outcomes(of: World, bucket: string): Promise<string[]> {
  const told: string[] = [];
  for (const [method, rest] of REQUESTS) {
    const body = method === 'PUT' ? { body: 'bytes' } : {};
    told.push(await of.outcome(method, `/${bucket}${rest}`, body));
  }
  return told;
}

test.each(['closed', 'open'] as const)(
  'a bucket that was removed, and whose name somebody else has now: %s',
  async (door) => {
    const bucket = `lost-${door}`;
    await world.must('PUT', `/${bucket}`);
    await world.put(`/${bucket}/key`, 'bytes');
    double.state.takeOver(`acme-${bucket}`, door);
    const refused = REQUESTS.map(() => '403 AccessDenied');
    if (door === 'closed') expect(await outcomes(world, bucket)).toEqual(refused);

    const restarted = await open();
    try {
      expect(await outcomes(restarted, bucket)).toEqual(refused);
      expect(restarted.gateway.logged.map(({ message }) => message)).toContainEqual(
        expect.stringContaining('another customer of the service has one of its name'),
      );
      await restarted.must('PUT', `/${bucket}`);
      await restarted.put(`/${bucket}/key`, 'anew');
      expect((await restarted.must('GET', `/${bucket}/key`)).body).toBe('anew');
      expect(double.state.buckets.get(`acme-${bucket}`)?.objects.size).toBe(0);
    } finally {
      await restarted.close();
    }
  },
);

test('a bucket that was removed, and whose name nobody has, whatever words say so', async () => {
  await world.must('PUT', '/gone');
  await world.put('/gone/key', 'bytes');
  await world.must('PUT', '/here');
  await world.put('/here/key', 'bytes');
  double.state.buckets.delete('acme-gone');
  const missing = '404 NoSuchBucket';
  for (const [method, target] of [
    ['GET', '/gone'],
    ['GET', '/gone/key'],
    ['PUT', '/gone/key'],
  ] as const) {
    expect([target, await world.outcome(method, target, { body: '' })]).toEqual([target, missing]);
  }
  expect(await world.outcome('HEAD', '/gone/key')).toMatch(/^404/);
  expect((await world.copy('/gone/copy', 'here/key')).outcome).toBe(missing);
  const restarted = await open();
  try {
    expect(new Set(await outcomes(restarted, 'gone'))).toEqual(new Set([missing]));
  } finally {
    await restarted.close();
  }
});
