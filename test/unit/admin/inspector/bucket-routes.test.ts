import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BucketList, KeyList } from '../../../../src/admin/inspector/contract.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';
import { testCall } from '../../../support/test-call.ts';
import { TestReplica } from './replica.ts';

// Processes and streams on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const ODD = 'a/<b>&"\'..//é';

let replica: TestReplica | undefined;
afterEach(() => replica?.close());

async function start({ manifest }: Pick<VersionedBucket, 'manifest'>, more: object = {}): Promise<TestReplica> {
  const { buckets } = manifest;
  replica = await TestReplica.start('one', () => [], { stored: { buckets, listing: createListing(), ...more } });
  return replica;
}

describe('buckets and their keys', () => {
  it('are listed by page, with the account of each', async () => {
    const manifest = await testManifest();
    for (const name of ['apples', 'zebras']) {
      await manifest.buckets.create({ name, ownerId: name }, testCall());
    }
    const one = await start({ manifest });
    const page = (await one.get('/api/buckets?limit=2')).body as BucketList;
    expect(page).toMatchObject({
      buckets: [
        { name: 'apples', account: 'apples', backend: 'test' },
        { name: 'bucket', account: 'main' },
      ],
      more: true,
    });
    const rest = (await one.get('/api/buckets?limit=2&after=bucket')).body as BucketList;
    expect(rest).toMatchObject({ buckets: [{ name: 'zebras' }], more: false });
    expect((await one.get('/api/buckets?prefix=z')).body).toMatchObject({ buckets: [{ name: 'zebras' }] });
  });

  it('are listed by prefix, page by page', async () => {
    const { manifest } = new VersionedBucket(await testManifest());
    for (const key of ['a', 'b/1', 'b/2', 'c']) {
      await manifest.objects.put({ bucket: manifest.bucket, key }, putOf('text'), testCall());
    }
    const one = await start({ manifest });
    const page = (await one.get('/api/buckets/bucket/keys?delimiter=%2F&limit=2')).body as KeyList;
    expect(page).toMatchObject({
      bucket: 'bucket',
      versioning: 'never',
      entries: [
        { kind: 'object', key: 'a', size: 4 },
        { kind: 'prefix', key: 'b/' },
      ],
      next: 'b/',
    });
    const rest = (await one.get('/api/buckets/bucket/keys?delimiter=%2F&after=b%2F')).body as KeyList;
    expect(rest.entries.map(({ key }) => key)).toEqual(['c']);
    expect(rest).not.toHaveProperty('next');
  });

  it('show every version, with keys as they are', async () => {
    const versioned = await VersionedBucket.create();
    const { manifest, bucket } = versioned;
    await manifest.objects.put({ bucket, key: ODD }, putOf('x'), testCall());
    await versioned.put('one');
    await versioned.put('two');
    await versioned.remove();
    const one = await start(versioned, { buckets: { ...manifest.buckets, get: async () => bucket } });
    const { entries, versioning } = (await one.get('/api/buckets/bucket/keys?versions=true')).body as KeyList;
    expect(versioning).toBe('enabled');
    expect(entries.map(({ kind, key, isLatest }) => [kind, key, isLatest])).toEqual([
      ['version', ODD, true],
      ['marker', 'k', true],
      ['version', 'k', false],
      ['version', 'k', false],
    ]);
    const page = (await one.get('/api/buckets/bucket/keys?versions=true&limit=2')).body as KeyList;
    const from = new URLSearchParams({ after: page.next ?? '', afterVersion: page.nextVersion ?? '' });
    const rest = (await one.get(`/api/buckets/bucket/keys?versions=true&${from.toString()}`)).body as KeyList;
    expect(rest.entries.map(({ versionId }) => versionId)).toEqual(entries.slice(2).map(({ versionId }) => versionId));
  });

  it.each([
    ['/api/buckets/nobody/keys', 404, 'NoSuchBucket'],
    ['/api/buckets/bucket/keys?versions=maybe', 400, 'expected true or false'],
    ['/api/buckets/bucket/keys?colour=red', 400, 'expected one of'],
    ['/api/buckets/bucket/keys?versions=true&after=k&afterVersion=odd', 400, 'InvalidArgument'],
    ['/api/buckets?limit=1001', 400, 'expected a number'],
  ])('%s is answered %d', async (path, status, error) => {
    const one = await start(new VersionedBucket(await testManifest()));
    expect(await one.get(path)).toMatchObject({ status, body: { error: expect.stringContaining(error) as unknown } });
  });
});
