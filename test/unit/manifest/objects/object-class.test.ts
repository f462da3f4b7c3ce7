import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { tieredStore } from '../../../../src/manifest/heads/tiered-store.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import type { Bucket, Versioning } from '../../../../src/manifest/records/bucket.ts';
import type { ObjectView } from '../../../../src/manifest/records/object-view.ts';
import { storageClassesOf } from '../../../../src/main/storage-classes.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import { type TestManifest, OWNER, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const call = testCall();
const key = 'k';

describe.each<Versioning>(['never', 'enabled', 'suspended'])(
  'a change of class in place, versioning %s',
  (versioning) => {
    let manifest: TestManifest;
    let bucket: Bucket;

    beforeEach(async () => {
      const classes = storageClassesOf({ storageClasses: { tiers: {}, buckets: [] } }, {}, new MemoryBlobStore());
      if (classes === undefined) throw new Error('no classes');
      manifest = await testManifest({ store: tieredStore(new MemoryBlobStore(), classes), settling: false });
      bucket = { ...manifest.bucket, versioning, home: { ...manifest.bucket.home, classes } };
      const attributes = { headers: { contentType: 'text/plain' }, userMetadata: { colour: 'blue' } };
      const request = { body: Buffer.from('bytes'), attributes, ownerId: OWNER, conditions: {} };
      await manifest.objects.put({ bucket, key }, request, call);
    });

    const find = (): Promise<ObjectView> => manifest.objects.find({ bucket, key }, call);
    const told = ({ etag, mtime, versionId, size, userMetadata, headers }: ObjectView): object => {
      return { etag, mtime, versionId, size, userMetadata, headers };
    };
    const listedClass = async (): Promise<string | undefined> => {
      const page = await createListing({}).objects(bucket, { prefix: '', delimiter: '', after: '', limit: 9 }, call);
      const [entry] = page.entries;
      return entry?.kind === 'object' ? entry.storageClass : 'nothing';
    };

    test('to an online class: everything else stays', async () => {
      const before = await find();
      expect(await manifest.objects.changeClass(bucket, before, { storageClass: 'STANDARD_IA' }, call)).toBe('changed');
      const after = await find();
      expect(after.storageClass).toBe('STANDARD_IA');
      expect(told(after)).toEqual(told(before));
      expect(await listedClass()).toBe('STANDARD_IA');
      const [{ container, name }] = [after.bytes.ref];
      expect((await bucket.home.store.head({ container, name }, call)).tier).toBe('cool');
      const body = await manifest.objects.openView(bucket, after, {}, call);
      expect((await readAll(body)).toString()).toBe('bytes');
      expect(await manifest.objects.changeClass(bucket, after, { storageClass: 'STANDARD_IA' }, call)).toBe('same');
    });

    test('to an archived class: the bytes become a piece', async () => {
      const before = await find();
      expect(await manifest.objects.changeClass(bucket, before, { storageClass: 'GLACIER' }, call)).toBe('changed');
      const after = await find();
      expect([after.storageClass, after.archived, after.encryption?.by.kind]).toEqual(['GLACIER', true, 'archive']);
      expect(told(after)).toEqual(told(before));
      expect(await listedClass()).toBe('GLACIER');
      const { entries } = await bucket.home.store.list(bucket.home.system, { prefix: 'e/', limit: 9 }, call);
      expect(entries).toMatchObject([{ tier: 'archive', size: 5 }]);
      expect(await manifest.objects.changeClass(bucket, after, { storageClass: 'STANDARD' }, call)).toBe('archived');
    });

    test('not of what has changed since it was judged', async () => {
      const before = await find();
      await manifest.objects.amend({ bucket, key }, () => ({ tags: [{ key: 'a', value: 'b' }] }), call);
      expect(await manifest.objects.changeClass(bucket, before, { storageClass: 'GLACIER' }, call)).toBe('moved');
      const after = await find();
      expect([after.storageClass, after.tags]).toEqual([undefined, [{ key: 'a', value: 'b' }]]);
    });
  },
);
