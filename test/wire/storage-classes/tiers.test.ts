import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { testCall } from '../../support/test-call.ts';
import { World, element } from '../spec/world.ts';

const store = new MemoryBlobStore();
const call = testCall();
let world: World;

beforeAll(async () => {
  const buckets = [{ pattern: 'spec-cool-*', defaultClass: 'STANDARD_IA' as const }];
  world = await World.open({ storageClasses: { tiers: { ONEZONE_IA: 'cold' }, buckets } }, store);
});
afterAll(() => world.close());

const tierOf = async (container: string, name: string): Promise<string | undefined> =>
  (await store.head({ container, name }, call)).tier;

const classesOf = async (bucket: string, key: string): Promise<(string | undefined)[]> => {
  const { headers } = await world.must('HEAD', `/${bucket}/${key}`);
  const asked = { 'x-amz-object-attributes': 'StorageClass' };
  const { body } = await world.must('GET', `/${bucket}/${key}?attributes`, { headers: asked });
  const lists = await Promise.all(
    ['list-type=2&', '', 'versions&'].map((query) => world.must('GET', `/${bucket}?${query}prefix=${key}`)),
  );
  const told = [body, ...lists.map((list) => list.body)].map((document) => element(document, 'StorageClass'));
  return [...new Set([headers['x-amz-storage-class'] ?? 'STANDARD', ...told])];
};

describe('the tier goes with the write', () => {
  test.each([
    ['STANDARD', 'hot'],
    ['STANDARD_IA', 'cool'],
    ['GLACIER_IR', 'cold'],
    ['ONEZONE_IA', 'cold'],
  ])('%s: %s', async (name, tier) => {
    const bucket = await world.bucket();
    await world.put(`/${bucket}/put`, 'bytes', { 'x-amz-storage-class': name });
    await world.copy(`/${bucket}/copy`, `${bucket}/put`, { 'x-amz-storage-class': name });
    const upload = await world.upload(`/${bucket}/parts`, { 'x-amz-storage-class': name });
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
    expect((await world.complete(upload, [String(headers['etag'])])).outcome).toBe('200');
    await world.gateway.idle();
    for (const key of ['put', 'copy', 'parts']) {
      expect([key, await tierOf(bucket, key), await classesOf(bucket, key)]).toEqual([key, tier, [name]]);
    }
  });

  test('a default class of the bucket, unless the request names one', async () => {
    const bucket = 'spec-cool-1';
    await world.must('PUT', `/${bucket}`);
    await world.put(`/${bucket}/a`);
    await world.put(`/${bucket}/b`, 'bytes', { 'x-amz-storage-class': 'STANDARD' });
    await world.copy(`/${bucket}/c`, `${bucket}/b`);
    expect(await Promise.all(['a', 'b', 'c'].map((key) => tierOf(bucket, key)))).toEqual(['cool', 'hot', 'cool']);
    expect(await classesOf(bucket, 'a')).toEqual(['STANDARD_IA']);
  });
});

test('a copy onto itself changes class and tier; an overwrite does not inherit them', async () => {
  const bucket = await world.bucket();
  await world.put(`/${bucket}/k`, 'bytes', { 'x-amz-storage-class': 'GLACIER_IR' });
  const copied = await world.copy(`/${bucket}/k`, `${bucket}/k`, { 'x-amz-storage-class': 'STANDARD_IA' });
  expect([copied.outcome, await tierOf(bucket, 'k')]).toEqual(['200', 'cool']);
  await world.put(`/${bucket}/k`);
  expect([await tierOf(bucket, 'k'), await classesOf(bucket, 'k')]).toEqual(['hot', ['STANDARD']]);
});

test('what a tool of the cloud moved, or wrote, shows the class of its tier', async () => {
  const bucket = await world.bucket();
  const wrote = { metadata: {}, tier: 'cool' } as const;
  await store.write({ container: bucket, name: 'native' }, Buffer.from('x'), wrote, call);
  await world.put(`/${bucket}/moved`, 'bytes', { 'x-amz-storage-class': 'STANDARD_IA' });
  const { metadata } = await store.head({ container: bucket, name: 'moved' }, call);
  await store.write({ container: bucket, name: 'moved' }, Buffer.from('x'), { metadata, tier: 'cold' }, call);
  expect(await classesOf(bucket, 'native')).toEqual(['STANDARD_IA']);
  expect(await classesOf(bucket, 'moved')).toEqual(['GLACIER_IR']);
});

test('versions: each keeps its tier, and the head that names them lies hot', async () => {
  const bucket = await world.bucket();
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  await world.put(`/${bucket}/k`, 'first', { 'x-amz-storage-class': 'STANDARD_IA' });
  await world.must('PUT', `/${bucket}?versioning`, { body });
  await world.put(`/${bucket}/k`, 'second', { 'x-amz-storage-class': 'GLACIER_IR' });
  expect(await tierOf(bucket, 'k')).toBe('hot');
  const { body: versions } = await world.must('GET', `/${bucket}?versions`);
  const classes = [...versions.matchAll(/<StorageClass>([^<]*)/g)].map(([, name]) => name);
  expect(classes).toEqual(['GLACIER_IR', 'STANDARD_IA']);
  const { entries } = await store.list('system', { prefix: 'v/', limit: 1000 }, call);
  const tiers = entries.flatMap((entry) => (entry.kind === 'blob' && entry.size > 0 ? [entry.tier] : []));
  expect(new Set(tiers)).toEqual(new Set(['cold', 'cool']));
});

test('lifecycle rules that move objects are taken, and come back as they were', async () => {
  const bucket = await world.bucket();
  const rule = [
    '<Rule><ID>cold</ID><Filter><Prefix>a/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>400</Days></Expiration>',
    '<Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>',
    '<Transition><Days>60</Days><StorageClass>GLACIER</StorageClass></Transition>',
    '<NoncurrentVersionExpiration><NoncurrentDays>90</NoncurrentDays></NoncurrentVersionExpiration>',
    '<NoncurrentVersionTransition><NoncurrentDays>30</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions>',
    '<StorageClass>DEEP_ARCHIVE</StorageClass></NoncurrentVersionTransition></Rule>',
  ].join('');
  const body = `<LifecycleConfiguration>${rule}</LifecycleConfiguration>`;
  const digest = { 'content-md5': contentMd5(body) };
  await world.must('PUT', `/${bucket}?lifecycle`, { body, headers: digest });
  const answer = await world.must('GET', `/${bucket}?lifecycle`);
  expect(sorted(answer.body)).toEqual(sorted(rule));
  const { headers } = await world.put(`/${bucket}/a/k`);
  expect(headers['x-amz-expiration']).toMatch(/rule-id="cold"$/);
});

/** The elements of a document's rules: clients compare them as they are, in any order. */
function sorted(document: string): string[] {
  return [...document.matchAll(/<(\w+)>([^<]+)</g)].map(([, name, text]) => `${name} ${text}`).toSorted();
}
