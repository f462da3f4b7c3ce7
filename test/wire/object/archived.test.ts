import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { World, element } from '../spec/world.ts';

/*
 * An object whose blob somebody moved to an offline tier, as Azure has one. S3 names the class of such an object
 * wherever it tells of it, and so clients know what to do.
 */
const store = new MemoryBlobStore();
let world: World;
let bucket: string;

beforeAll(async () => {
  world = await World.open({}, store);
  bucket = await world.bucket();
  await world.put(`/${bucket}/plain`);
  await world.put(`/${bucket}/cold`, 'bytes', { 'x-amz-storage-class': 'DEEP_ARCHIVE' });
  for (const name of ['plain', 'cold']) store.setArchived({ container: bucket, name }, true);
});
afterAll(() => world.close());

describe.each([
  ['plain', 'GLACIER'],
  ['cold', 'DEEP_ARCHIVE'],
])('%s: %s', (key, expected) => {
  test('HEAD', async () => {
    const { status, headers } = await world.ask('HEAD', `/${bucket}/${key}`);
    expect([status, headers['x-amz-storage-class']]).toEqual([200, expected]);
  });

  test('GetObjectAttributes', async () => {
    const headers = { 'x-amz-object-attributes': 'StorageClass' };
    const { body } = await world.must('GET', `/${bucket}/${key}?attributes`, { headers });
    expect(element(body, 'StorageClass')).toBe(expected);
  });

  test('lists', async () => {
    for (const query of ['list-type=2&', '', 'versions&']) {
      const { body } = await world.must('GET', `/${bucket}?${query}prefix=${key}`);
      expect(element(body, 'StorageClass')).toBe(expected);
    }
  });

  test('GET', async () => {
    const { outcome, body } = await world.ask('GET', `/${bucket}/${key}`);
    expect([outcome, element(body, 'StorageClass')]).toEqual(['403 InvalidObjectState', expected]);
  });
});
