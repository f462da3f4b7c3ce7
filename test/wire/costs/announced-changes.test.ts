import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { wrapStore } from '../../../src/store/wrap-store.ts';
import { testCall } from '../../support/test-call.ts';
import { World } from '../spec/world.ts';

const DOCUMENT =
  '<NotificationConfiguration><QueueConfiguration><Queue>arn:aws:sqs:us-east-1:1:q</Queue><Event>s3:ObjectCreated:*</Event><Event>s3:ObjectTagging:Put</Event><Filter><S3Key><FilterRule><Name>prefix</Name><Value>watched/</Value></FilterRule></S3Key></Filter></QueueConfiguration></NotificationConfiguration>';

let world: World;
let calls = 0;

beforeAll(async () => {
  const store = wrapStore(new MemoryBlobStore(), ({ method, ref }, run) => {
    if (method !== 'headContainer' && ref.name?.startsWith('b/') !== true) calls += 1;
    return run();
  });
  const targets = { has: () => true, greet: async () => undefined };
  world = await World.open({ bucketCacheMs: 20, versioningDrainMs: 0, notificationTargets: targets }, store);
});
afterAll(() => world.close());

async function costOf(work: () => Promise<unknown>): Promise<number> {
  await world.gateway.idle();
  calls = 0;
  await work();
  return calls;
}

async function watchedBucket(versioning: string): Promise<string> {
  const bucket = await world.bucket();
  if (versioning === 'enabled') {
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.must('PUT', `/${bucket}?versioning`, { body });
  }
  await world.must('PUT', `/${bucket}?notification`, { body: DOCUMENT });
  return bucket;
}

describe.each(['never', 'enabled'] as const)('%s versioned: what an announced change costs more', (versioning) => {
  test('one call for a new key, and for DELETE; none for keys that no configuration is about', async () => {
    const bucket = await watchedBucket(versioning);
    const unwatched = await world.bucket();
    const base = versioning === 'enabled' ? 3 : 1;
    expect(await costOf(() => world.put(`/${bucket}/plain`))).toBe(base);
    expect(await costOf(() => world.put(`/${bucket}/watched/k`))).toBe(base + 1);
    if (versioning === 'never') expect(await costOf(() => world.put(`/${unwatched}/watched/k`))).toBe(1);

    const plain = await costOf(() => world.must('DELETE', `/${bucket}/plain`));
    expect(await costOf(() => world.must('DELETE', `/${bucket}/watched/k`))).toBe(plain + 1);
  });

  test('tags: one call; of a version with an id, another one if they are told', async () => {
    const bucket = await watchedBucket(versioning);
    const body = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';
    const cost = async (key: string, method: 'PUT' | 'DELETE'): Promise<number> => {
      await world.put(`/${bucket}/${key}`);
      await world.must('PUT', `/${bucket}/${key}?tagging`, { body });
      return costOf(() => world.must(method, `/${bucket}/${key}?tagging`, method === 'PUT' ? { body } : {}));
    };
    expect(await cost('watched/k', 'PUT')).toBe((await cost('plain', 'PUT')) + (versioning === 'enabled' ? 2 : 1));
    expect(await cost('watched/k', 'DELETE')).toBe((await cost('plain', 'DELETE')) + 1);
  });

  test('a PUT over an object: one call with versions; without, two, the first in a row four', async () => {
    const bucket = await watchedBucket(versioning);
    await world.put(`/${bucket}/watched/k`);
    await world.put(`/${bucket}/plain`);
    const plain = await costOf(() => world.put(`/${bucket}/plain`));
    const more = versioning === 'enabled' ? [1, 1] : [4, 2];
    for (const extra of more) expect(await costOf(() => world.put(`/${bucket}/watched/k`))).toBe(plain + extra);
  });
});

test('a PUT that is refused leaves no announcement behind', async () => {
  const bucket = await watchedBucket('never');
  const target = `/${bucket}/watched/once`;
  const asked = { body: 'bytes', headers: { 'if-none-match': '*' } };
  await world.must('PUT', target, asked);
  const announced = async (): Promise<number> => {
    await world.gateway.idle();
    return (await world.gateway.store.list('system', { prefix: 'n/', limit: 1000 }, testCall())).entries.length;
  };
  const before = await announced();
  for (let n = 0; n < 3; n += 1) expect(await world.outcome('PUT', target, asked)).toBe('412 PreconditionFailed');
  expect(await announced()).toBe(before);
});
