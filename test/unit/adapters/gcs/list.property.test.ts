import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ObjectResource, propertiesOf } from '../../../../adapters/gcs/resource.ts';
import type { ListPage } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import '../../../support/property-seed.ts';
import { json, serve } from './scripted-service.ts';

const perhaps = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const decimal = fc.nat().map(String);
const md5 = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const text = fc.constantFrom('', 'text/plain', 'no-store', 'ü');

const item = fc
  .record({
    size: perhaps(decimal),
    generation: decimal,
    metageneration: perhaps(decimal),
    timeCreated: fc.constantFrom('2026-11-23T09:00:00.123Z', '2026-11-22T23:59:59.999Z', '2026-11-22T10:00:00Z'),
    md5Hash: fc.oneof(
      { weight: 3, arbitrary: md5 },
      fc.constantFrom(undefined, 'short', `${'-'.repeat(22)}==`, 'A'.repeat(24)),
    ),
    contentType: perhaps(text),
    contentEncoding: perhaps(text),
    contentLanguage: perhaps(text),
    contentDisposition: perhaps(text),
    cacheControl: perhaps(text),
    metadata: perhaps(
      fc.dictionary(
        fc.constantFrom('s3gw', 'Upper', 's3gw_md5', 's3gw_cache', 'constructor', 'x'),
        fc.constantFrom('', 'v', 'd41d8cd98f00b204e9800998ecf8427e', 'set'),
      ),
    ),
  })
  .map((resource) => JSON.parse(JSON.stringify(resource)) as ObjectResource);

test('objects of a listing are what each of them says of itself', async () => {
  const pages = fc.array(fc.tuple(item, fc.boolean()), { maxLength: 120, size: 'max' });
  for (const page of fc.sample(pages, { numRuns: 25, seed: 1 })) {
    const items = page.map(([resource], at) => ({ ...resource, name: `o${String(at).padStart(3, '0')}` }));
    const prefixes = page.flatMap(([, hasPrefix], at) => (hasPrefix ? [`o${String(at).padStart(3, '0')}/`] : []));
    const service = await serve([json({ kind: 'storage#objects', items, prefixes, nextPageToken: 'next' })]);
    try {
      const { entries, nextToken } = await service.store.list('bucket', { limit: 1000 }, testCall());
      const expected = [
        ...items.map((one) => ({ kind: 'blob', name: one.name, ...propertiesOf(one) })),
        ...prefixes.map((name) => ({ kind: 'prefix', name })),
      ].sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(entries.map((entry) => ({ ...entry }))).toEqual(expected);
      expect(nextToken).toBe('next');
    } finally {
      await service.stop();
    }
  }
});

const nameless = { generation: '1', size: '0' };

test.each([
  [
    'an object that does not say its generation',
    { items: [{ name: 'a', md5Hash: '1B2M2Y8AsgTpgAmY7PhCfg==', size: '0' }] },
  ],
  ['an object that does not say its name', { items: [nameless] }],
  ['an object that has none, but an MD5', { items: [{ ...nameless, md5Hash: '1B2M2Y8AsgTpgAmY7PhCfg==', name: '' }] }],
])('%s ends the listing', async (_what, page) => {
  await expect(listing({ kind: 'storage#objects', ...page })).rejects.toMatchObject({ kind: 'unexpected' });
});

const foreign = [{}, { status: 'ok' }, { kind: 'storage#buckets' }, { items: [], nextPageToken: '' }, { kind: 1 }];

test.each(foreign)('an answer that is no page of objects is no empty page: %j', async (document) => {
  await expect(listing(document)).rejects.toMatchObject({ kind: 'unexpected' });
});

test('a page on which nothing is has its kind alone', async () => {
  expect(await listing({ kind: 'storage#objects' })).toEqual({ entries: [] });
});

test.each([{}, { status: 'ok' }, { kind: 'storage#objects' }])(
  'an answer that is no page of buckets is no empty page: %j',
  async (document) => {
    const credential = { kind: 'anonymous' } as const;
    const service = await serve([json(document)], { credential, projectId: 'project' });
    try {
      await expect(service.store.listContainers(undefined, testCall())).rejects.toMatchObject({ kind: 'unexpected' });
    } finally {
      await service.stop();
    }
  },
);

async function listing(document: object): Promise<ListPage> {
  const service = await serve([json(document)]);
  try {
    return await service.store.list('bucket', { limit: 1000 }, testCall());
  } finally {
    await service.stop();
  }
}
