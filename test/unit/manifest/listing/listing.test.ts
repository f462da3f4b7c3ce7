import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { createListing, type ListedObject, type ListingRequest } from '../../../../src/manifest/listing/listing.ts';
import { codecOf } from '../../../../src/manifest/records/names.ts';
import { encodeRecord, type LooseRecord, RECORD_NAME } from '../../../../src/manifest/records/record.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { mapConcurrent } from '../../../../src/streams/map-concurrent.ts';
import { OWNER, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { newToken } from '../../../../src/manifest/records/version-token.ts';
import { testCall } from '../../../support/test-call.ts';
import { expectedEntries, label } from '../../../model/listing/listing-model.ts';

const listing = createListing();

function ask(more: Partial<ListingRequest> = {}): ListingRequest {
  return { prefix: '', delimiter: '', after: '', limit: 1000, ...more };
}

/** Entries as labels, the place where the next page begins, and what the page cost. */
async function list(
  bucket: Bucket,
  more: Partial<ListingRequest> = {},
): Promise<{ shown: string[]; next: string | undefined; calls: number }> {
  const call = testCall();
  const { entries, next } = await listing.objects(bucket, ask(more), call);
  return { shown: entries.map(label), next, calls: call.facts.backendCalls };
}

async function walk(
  bucket: Bucket,
  more: Partial<ListingRequest>,
): Promise<{ shown: string[]; pages: number; mostCalls: number }> {
  const shown: string[] = [];
  let mostCalls = 0;
  let pages = 0;
  for (let after: string | undefined = more.after ?? ''; after !== undefined; pages++) {
    const page = await list(bucket, { ...more, after });
    shown.push(...page.shown);
    mostCalls = Math.max(mostCalls, page.calls);
    after = page.next;
    if (pages > 1000) throw new Error('the listing does not end');
  }
  return { shown, pages, mostCalls };
}

async function bucketWith(keys: readonly string[], store: BlobStore = new MemoryBlobStore()): Promise<Bucket> {
  const { bucket } = await testManifest({ store });
  await mapConcurrent(keys, 8, (key) => writeHead(bucket, key));
  return bucket;
}

/** Writes a head as the bucket might hold it; without a record, a native blob. */
async function writeHead(bucket: Bucket, key: string, record?: Partial<LooseRecord>): Promise<void> {
  const { store, container } = bucket.home;
  const { name, needsTrueKey } = codecOf(store).encode(key);
  const whole =
    record === undefined && !needsTrueKey
      ? undefined
      : encodeRecord({ kind: 'inline', seq: 1, ...(needsTrueKey && { key }), ...record });
  await store.write(
    { container, name },
    Buffer.from(key),
    { metadata: whole === undefined ? {} : { [RECORD_NAME]: whole } },
    testCall(),
  );
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`);
}

describe('what a listing says of an object', () => {
  it('is what reading it says, from one backend call', async () => {
    const { bucket, objects } = await testManifest();
    const checksum = { algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' } as const;
    await objects.put(
      { bucket, key: 'dir/k' },
      putOf('one', {
        ownerId: 'somebody',
        checksum,
        attributes: { headers: {}, userMetadata: {}, storageClass: 'GLACIER' },
      }),
      testCall(),
    );
    const call = testCall();
    const { entries, next } = await listing.objects(bucket, ask(), call);
    const { key, etag, size, mtime, ownerId, storageClass, archived } = await objects.find(
      { bucket, key: 'dir/k' },
      testCall(),
    );
    expect(entries).toEqual([{ kind: 'object', key, etag, size, mtime, ownerId, storageClass, archived, checksum }]);
    expect(next).toBeUndefined();
    expect(call.facts.backendCalls).toBe(1);
  });

  it('needs no second call when most of the record has spilled', async () => {
    const { bucket, objects } = await testManifest();
    const userMetadata = Object.fromEntries(numbered('not-native-', 200).map((name) => [name, 'x'.repeat(60)]));
    const committed = await objects.put(
      { bucket, key: 'big' },
      putOf('one', { attributes: { headers: {}, userMetadata } }),
      testCall(),
    );
    const call = testCall();
    const { entries } = await listing.objects(bucket, ask(), call);
    expect(entries).toMatchObject([{ key: 'big', etag: committed.etag, mtime: committed.mtime, size: 3 }]);
    expect(call.facts.backendCalls).toBe(1);
  });

  it('shows blobs of native tools as objects of the bucket owner', async () => {
    const bucket = await bucketWith(['native']);
    const { entries } = await listing.objects(bucket, ask(), testCall());
    const [entry] = entries as ListedObject[];
    expect(entry).toMatchObject({ key: 'native', size: 6, ownerId: OWNER });
    expect(entry?.mtime).toBeGreaterThan(Date.now() - 60_000);
  });

  it('has size and time of a private blob that the head names', async () => {
    const bucket = await bucketWith([]);
    await writeHead(bucket, 'joined', {
      kind: 'assembled',
      version: newToken(5_000_000),
      size: 7,
      etag: 'abc-2',
      mtime: 5000,
    });
    const { entries } = await listing.objects(bucket, ask(), testCall());
    expect(entries).toMatchObject([{ key: 'joined', etag: 'abc-2', size: 7, mtime: 5000 }]);
  });
});

describe('what is not shown', () => {
  it('drops delete markers and leftovers and fills the page up', async () => {
    const bucket = await bucketWith(numbered('b', 10));
    for (const key of numbered('a', 30)) {
      await writeHead(bucket, key, { kind: key.endsWith('1') ? 'void' : 'marker', version: newToken(1) });
    }
    const page = await list(bucket, { limit: 4 });
    expect(page.shown).toEqual(numbered('o:b', 4));
    expect(page.next).toBe('b00003');
    expect(page.calls).toBeLessThanOrEqual(6);
    expect((await walk(bucket, { limit: 3 })).shown).toEqual(numbered('o:b', 10));
  });

  it('gives a short page out rather than search for ever, and loses nothing', async () => {
    const store = new MemoryBlobStore({ capabilities: { maxListPage: 10 } });
    const bucket = await bucketWith(['a', 'x', 'x\u0001'], store);
    for (const key of numbered('m/', 1000)) await writeHead(bucket, key, { kind: 'marker', version: newToken(1) });
    for (const key of ['m/00500x', 'n\u0001']) await writeHead(bucket, key);
    const page = await list(bucket, { limit: 5 });
    expect(page.shown).toEqual(['o:a']);
    expect(page.next).toMatch(/^m\/00/);
    expect(page.calls).toBeLessThanOrEqual(32);
    const all = await walk(bucket, { limit: 5 });
    expect(all.shown).toEqual(['o:a', 'o:m/00500x', 'o:n\u0001', 'o:x', 'o:x\u0001']);
    expect(all.mostCalls).toBeLessThanOrEqual(32);
    // Rolled up by us: a prefix in which the search stops is shown, for its live key is not known yet.
    expect((await walk(bucket, { limit: 5, delimiter: '/0' })).shown).toEqual([
      'o:a',
      'p:m/0',
      'o:n\u0001',
      'o:x',
      'o:x\u0001',
    ]);
  });

  it.each(['utf8', 'utf16'] as const)('hides native names that no key has (%s)', async (nameOrder) => {
    const store = new MemoryBlobStore({ capabilities: { nameOrder } });
    const bucket = await bucketWith(['a', 'b\u0001', '~s3~', '\uff0c'], store);
    const hidden = ['~s3~/a', '~s3~/-zz', '~s3~/a!00000000000000000000000000000000', 'x./y', 'x.'];
    if (nameOrder === 'utf16') hidden.push('\u{1f600}', 'a\u{1f600}/b');
    for (const name of hidden) {
      await store.write({ container: bucket.home.container, name }, Buffer.from('x'), { metadata: {} }, testCall());
    }
    for (const delimiter of ['', '/', '//']) {
      for (const limit of [1, 2, 1000]) {
        expect((await walk(bucket, { limit, delimiter })).shown).toEqual(['o:a', 'o:b\u0001', 'o:~s3~', 'o:\uff0c']);
      }
    }
  });

  it('keeps the order of keys with more slashes than a name may have', async () => {
    const deep = 'a/'.repeat(252);
    const keys = [
      `${deep}b`,
      `${deep}b `,
      `${deep}b/x`,
      `${deep}b/x\u0001`,
      `${deep}b0`,
      `${deep}b0/y`,
      `${deep}b/`,
      deep,
      `${deep}b\u0001`,
    ];
    const bucket = await bucketWith(keys);
    for (const limit of [1, 2, 1000]) {
      expect((await walk(bucket, { limit })).shown).toEqual(expectedEntries(keys, ask()));
      expect((await walk(bucket, { limit, delimiter: '/', prefix: deep })).shown).toEqual(
        expectedEntries(keys, ask({ delimiter: '/', prefix: deep })),
      );
    }
  });

  it('finds its way among names that share more than names can hold', async () => {
    const store = new MemoryBlobStore({ capabilities: { maxNameLength: 64, maxListPage: 2 } });
    const stem = `x\u0001${'a'.repeat(22)}`;
    const keys = [
      '',
      '/b',
      '/bc',
      '/bc/d',
      'xc1',
      'xc2',
      'xc3',
      'xc4',
      'xd',
      `y${'z'.repeat(60)}`,
      `x${'c'.repeat(60)}`,
      'z',
    ].map((end) => stem + end);
    const bucket = await bucketWith(keys, store);
    for (const request of [
      { prefix: `${stem}/b`, delimiter: '/' },
      { delimiter: 'c' },
      { prefix: `${stem}x`, delimiter: 'c' },
      { after: `${stem}xc2` },
      {},
    ]) {
      for (const limit of [1, 3, 1000]) {
        expect((await walk(bucket, { ...request, limit })).shown).toEqual(expectedEntries(keys, ask(request)));
      }
    }
  });

  it('does not read a long prefix again that it rolled up itself', async () => {
    const store = new MemoryBlobStore({ capabilities: { maxNameLength: 64, maxListPage: 2 } });
    const stem = `x\u0001${'a'.repeat(22)}`;
    const bucket = await bucketWith(numbered(`${stem}xc`, 9), store);
    const page = await list(bucket, { delimiter: 'c' });
    expect(page.shown).toEqual([`p:${stem}xc`]);
    expect(page.calls).toBeLessThanOrEqual(6);
  });
});

describe('backend calls of one page', () => {
  const keys = [...numbered('dir/', 2500), ...numbered('top', 20), '\u00e9t\u00e9'];
  const hazardous = ['dir/x\u0001', 'top.', '\u0001', 'zz/.'];
  let plain: Bucket;
  let mixed: Bucket;
  beforeAll(async () => {
    plain = await bucketWith(keys);
    mixed = await bucketWith([...keys, ...hazardous]);
  });

  it.each([
    ['one for a bucket that fits', { prefix: '', delimiter: '/' }, 1],
    ['one for the end of a small part of all names', { prefix: 'top' }, 2],
    ['two in parallel for a prefix', { prefix: 'dir/' }, 2],
    ['two behind a marker', { after: 'dir/01000x' }, 2],
    ['two for a full page of all', {}, 2],
    ['one for a prefix that no plain name can have', { prefix: 'x\u0001' }, 1],
    ['none for no keys', { limit: 0 }, 0],
    ['none behind the prefix', { prefix: 'a', after: 'b' }, 0],
    ['a jump over each long prefix that the backend cannot roll up', { delimiter: 'r/' }, 3],
  ] as const)('%s', async (_, request, calls) => {
    const page = await list(plain, request);
    expect(page.calls).toBeLessThanOrEqual(calls);
    const expected = expectedEntries(keys, ask(request));
    expect(page.shown).toEqual(expected.slice(0, ask(request).limit));
    expect(page.next !== undefined).toBe(ask(request).limit > 0 && expected.length > 1000);
  });

  it.each([{}, { delimiter: '/' }, { prefix: 'dir/' }, { after: 'dir/01000x' }, { prefix: 'to' }])(
    'at most three with escaped names among them: %j',
    async (request) => {
      const page = await list(mixed, request);
      expect(page.calls).toBeLessThanOrEqual(3);
      expect(page.shown).toEqual(expectedEntries([...keys, ...hazardous], ask(request)).slice(0, 1000));
    },
  );

  it('knows without a further page that there is no more, unless the service gives no more than asked', async () => {
    expect(await list(plain, { prefix: 'top', limit: 20 })).toMatchObject({ next: undefined, calls: 2 });
    expect(await list(plain, { prefix: 'top', limit: 19 })).toMatchObject({ next: 'top00018', calls: 2 });
    const small = await bucketWith(numbered('k', 10), new MemoryBlobStore({ capabilities: { maxListPage: 10 } }));
    expect(await list(small, { limit: 10 })).toMatchObject({ next: undefined, calls: 1 });
    expect(await list(small, { limit: 9 })).toMatchObject({ next: 'k00008' });
  });
});

describe('50,000 keys', () => {
  const keys = Array.from(
    { length: 50_000 },
    (_, i) =>
      `d${String(i % 100).padStart(2, '0')}/s${String(i % 7)}/${String(i).padStart(5, '0')}${i % 500 === 0 ? '\u0001' : ''}`,
  );
  let bucket: Bucket;
  beforeAll(async () => {
    bucket = await bucketWith(keys);
  });

  it.each([
    ['all of them', {}, 51, 3],
    ['behind a key that was never stored', { after: 'd42/s3/zzz' }, 30, 3],
    ['behind one that no name could have', { after: 'd42/s3/\u0000' }, 30, 3],
    ['rolled up, ten a page', { delimiter: '/', limit: 10 }, 11, 3],
    ['one folder', { delimiter: '/', prefix: 'd07/' }, 1, 2],
    ['inside a folder, from its middle', { prefix: 'd07/', after: 'd07/s3/20000' }, 1, 2],
    ['rolled up by us', { delimiter: '/s', limit: 10 }, 11, 32],
  ] as const)('%s', async (_, request, mostPages, mostCalls) => {
    const walked = await walk(bucket, request);
    expect(walked.shown).toEqual(expectedEntries(keys, ask(request)));
    expect(walked.pages).toBeLessThanOrEqual(mostPages);
    expect(walked.mostCalls).toBeLessThanOrEqual(mostCalls);
  });
});

describe('a bucket whose container is gone', () => {
  it('does not exist', async () => {
    const bucket = await bucketWith([]);
    await bucket.home.store.removeContainer(bucket.home.container, testCall());
    const gone = { code: 'NoSuchBucket', extra: { BucketName: 'bucket' } };
    await expect(listing.objects(bucket, ask(), testCall())).rejects.toMatchObject(gone);
    await expect(listing.objects(bucket, ask({ prefix: 'a' }), testCall())).rejects.toMatchObject(gone);
    await expect(listing.versions(bucket, ask(), testCall())).rejects.toMatchObject(gone);
    await expect(listing.isEmpty(bucket, testCall())).rejects.toMatchObject(gone);
  });
});

describe('isEmpty', () => {
  it.each<[string, boolean, (bucket: Bucket) => Promise<void>]>([
    ['a new bucket', true, async () => undefined],
    ['one object', false, (bucket) => writeHead(bucket, 'k')],
    ['one object with an escaped name', false, (bucket) => writeHead(bucket, 'k.')],
    ['one delete marker', false, (bucket) => writeHead(bucket, 'k', { kind: 'marker', version: newToken(1) })],
    ['a native blob that S3 cannot show', false, (bucket) => writeNative(bucket, '~s3~/junk')],
    ['many leftovers of removed keys', true, (bucket) => writeVoids(bucket)],
    [
      'an object among many leftovers',
      false,
      async (bucket) => {
        await writeVoids(bucket);
        await writeHead(bucket, 'v00033x');
      },
    ],
  ])('%s: %s', async (_, isEmpty, fill) => {
    const bucket = await bucketWith([], new MemoryBlobStore({ capabilities: { maxListPage: 20 } }));
    await fill(bucket);
    const call = testCall();
    expect(await listing.isEmpty(bucket, call)).toBe(isEmpty);
    expect(call.facts.backendCalls).toBeLessThanOrEqual(4);
  });

  async function writeNative(bucket: Bucket, name: string): Promise<void> {
    await bucket.home.store.write(
      { container: bucket.home.container, name },
      Buffer.from('x'),
      { metadata: {} },
      testCall(),
    );
  }

  async function writeVoids(bucket: Bucket): Promise<void> {
    for (const key of numbered('v', 50)) await writeHead(bucket, key, { kind: 'void' });
  }
});

describe('versions of a bucket that never had versioning', () => {
  it('are its objects, each the null version and the latest', async () => {
    const bucket = await bucketWith(['a', 'b/1', 'b/2', 'c.', 'd']);
    const first = await listing.versions(bucket, { ...ask({ delimiter: '/', limit: 2 }) }, testCall());
    expect(first).toMatchObject({
      entries: [
        { kind: 'version', key: 'a', versionId: 'null', isLatest: true },
        { kind: 'prefix', key: 'b/' },
      ],
      next: 'b/',
    });
    expect(first.nextVersion).toBeUndefined();
    const second = await listing.versions(bucket, { ...ask({ delimiter: '/', limit: 1, after: 'b/' }) }, testCall());
    expect(second).toMatchObject({ entries: [{ key: 'c.', versionId: 'null' }], next: 'c.', nextVersion: 'null' });
    const third = await listing.versions(bucket, { ...ask({ after: 'c.' }), afterVersion: 'null' }, testCall());
    expect(third).toMatchObject({ entries: [{ key: 'd' }] });
    expect(third.next).toBeUndefined();
  });

  it('have no other version to begin behind', async () => {
    const bucket = await bucketWith(['a']);
    const refused = { code: 'InvalidArgument', extra: { ArgumentName: 'version-id-marker', ArgumentValue: 'x' } };
    await expect(
      listing.versions(bucket, { ...ask({ after: 'a' }), afterVersion: 'x' }, testCall()),
    ).rejects.toMatchObject(refused);
  });
});
