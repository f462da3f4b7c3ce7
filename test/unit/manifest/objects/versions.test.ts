import { describe, expect, it } from 'vitest';
import type { Bucket, Versioning } from '../../../../src/manifest/records/bucket.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { type Objects, createObjects } from '../../../../src/manifest/objects/objects.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { StoreError, isStoreError } from '../../../../src/store/store-error.ts';
import { OWNER, putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

describe('a bucket with versioning enabled', () => {
  it('keeps what is overwritten, each version under its id', async () => {
    const key = await VersionedBucket.create();
    const [one, two, three] = [await key.put('one'), await key.put('two'), await key.put('three')];
    expect(new Set([one, two, three]).size).toBe(3);
    expect([await key.text(), await key.text(one), await key.text(two), await key.text(three)]).toEqual([
      'three',
      'one',
      'two',
      'three',
    ]);
    expect(await key.text('null')).toBe('NoSuchVersion');
  });

  it('makes of the object that was there before the null version', async () => {
    const key = await VersionedBucket.create();
    key.set('never');
    expect(await key.put('native')).toBe('null');
    key.set('enabled');
    const one = await key.put('one');
    expect([await key.text(), await key.text('null'), await key.text(one)]).toEqual(['one', 'native', 'one']);
    await key.put('two');
    expect(await key.text('null')).toBe('native');
  });

  it('hides an object behind a delete marker, and shows it again when that is deleted', async () => {
    const key = await VersionedBucket.create();
    const one = await key.put('one');
    const marker = await key.remove();
    expect(marker).toMatchObject({ deleteMarker: true });
    expect(await key.text()).toBe('NoSuchKey');
    expect(await key.text(marker.versionId)).toBe('MethodNotAllowed');
    expect(await key.text(one)).toBe('one');
    expect(await key.remove(marker.versionId)).toEqual(marker);
    expect([await key.text(), await key.text(one)]).toEqual(['one', 'one']);
  });

  it('promotes the next version when the current one is deleted, and ends with nothing at all', async () => {
    const key = await VersionedBucket.create();
    const [one, two, three] = [await key.put('one'), await key.put('two'), await key.put('three')];
    await key.remove(two);
    expect([await key.text(), await key.text(two)]).toEqual(['three', 'NoSuchVersion']);
    await key.remove(three);
    expect([await key.text(), await key.text(three)]).toEqual(['one', 'NoSuchVersion']);
    await key.remove(one);
    expect([await key.text(), await key.text(one)]).toEqual(['NoSuchKey', 'NoSuchVersion']);
    const left = await key.manifest.store.list('system', { prefix: 'v/', limit: 10 }, testCall());
    expect(left.entries).toEqual([]);
    expect((await key.manifest.store.list('bucket', { limit: 10 }, testCall())).entries).toEqual([]);
    expect(await key.remove(one)).toEqual({ deleteMarker: false, versionId: one });
  });
});

describe('a bucket whose versioning is suspended', () => {
  it('overwrites the null version only', async () => {
    const key = await VersionedBucket.create();
    const one = await key.put('one');
    key.set('suspended');
    expect(await key.put('null one')).toBe('null');
    expect(await key.put('null two')).toBe('null');
    expect([await key.text(), await key.text('null'), await key.text(one)]).toEqual(['null two', 'null two', 'one']);
    expect(await key.remove()).toEqual({ deleteMarker: true, versionId: 'null' });
    expect([await key.text(), await key.text('null'), await key.text(one)]).toEqual([
      'NoSuchKey',
      'MethodNotAllowed',
      'one',
    ]);
    expect(await key.remove('null')).toEqual({ deleteMarker: true, versionId: 'null' });
    expect(await key.text()).toBe('one');
    key.set('enabled');
    await key.put('two');
    expect(await key.text(one)).toBe('one');
  });

  it('keeps the null version beside versions that come after it, and replaces it among them', async () => {
    const key = await VersionedBucket.create();
    key.set('suspended');
    await key.put('null one');
    key.set('enabled');
    const two = await key.put('two');
    expect([await key.text(), await key.text('null')]).toEqual(['two', 'null one']);
    key.set('suspended');
    await key.put('null two');
    expect([await key.text(), await key.text('null'), await key.text(two)]).toEqual(['null two', 'null two', 'two']);
    await key.manifest.settler.idle();
    await key.remove('null');
    expect([await key.text(), await key.text('null')]).toEqual(['two', 'NoSuchVersion']);
  });
});

describe('backend calls', () => {
  async function calls(work: (call: ReturnType<typeof testCall>) => Promise<unknown>): Promise<number> {
    const call = testCall();
    await work(call);
    return call.facts.backendCalls;
  }

  it('are those of the commit protocol', async () => {
    const key = await VersionedBucket.create();
    const first = await key.put('one');
    expect(await calls((call) => key.put('two', {}, call))).toBe(3);
    expect(await calls((call) => key.text(undefined, call))).toBe(2);
    expect(await calls((call) => key.text(first, call))).toBe(1);
    expect(await calls((call) => key.remove(undefined, call))).toBe(4);
    expect(await calls((call) => key.remove(first, call))).toBe(4);
    await key.put('three');
    const amend = (call: ReturnType<typeof testCall>): Promise<unknown> =>
      key.manifest.objects.amend({ bucket: key.bucket, key: 'k' }, () => ({ tags: [{ key: 'a', value: 'b' }] }), call);
    expect(await calls(amend)).toBe(3);
  });
});

describe('a version that took long to be committed', () => {
  it('is renewed before a head names it', async () => {
    let now = Date.now();
    const key = await VersionedBucket.create({ now: () => now });
    key.set('never');
    await key.put('native');
    key.set('enabled');
    const { store } = key.manifest;
    const copy = store.copy.bind(store);
    store.copy = (...request) => {
      now += 3_600_000; // the object below is so large
      return copy(...request);
    };
    const one = await key.put('one');
    expect([await key.text(), await key.text(one), await key.text('null')]).toEqual(['one', 'one', 'native']);
    expect(await key.put('two')).not.toBe(one);
    expect(await key.text(one)).toBe('one');
  });
});

describe('just after versioning was enabled for the first time', () => {
  it('loses no version to a plain PUT that began before and arrives late', async () => {
    const key = await VersionedBucket.create();
    const enabled: Versioning = 'enabled';
    key.bucket = { ...key.bucket, versioning: enabled, versionedSince: Date.now() };
    const one = await key.put('one');
    const two = await key.put('two');
    key.set('never');
    await key.put('late');
    key.set(enabled);
    expect([await key.text(), await key.text('null'), await key.text(one), await key.text(two)]).toEqual([
      'late',
      'late',
      'one',
      'two',
    ]);
    await expect(key.remove('null')).rejects.toMatchObject({ kind: 'unavailable' });
    const three = await key.put('three');
    expect([await key.text(), await key.text('null'), await key.text(two), await key.text(three)]).toEqual([
      'three',
      'late',
      'two',
      'three',
    ]);
    const names = (await key.manifest.store.list('system', { prefix: 'v/', limit: 10 }, testCall())).entries.map(
      ({ name }) => name,
    );
    const texts = await Promise.all(names.map((name) => key.text(name.slice(-32))));
    expect(texts).toEqual(['three', 'NoSuchVersion', 'two', 'one']); // the null version has its place, and no id of its own
  });

  it.each(['its tags', 'a lock of a version below it'])(
    'knows where a late head stands after a change of %s',
    async (what) => {
      const key = await VersionedBucket.create();
      const enabled: Versioning = 'enabled';
      key.bucket = { ...key.bucket, versioning: enabled, versionedSince: Date.now() };
      const { objects, settler } = key.manifest;
      const two = await key.put('one').then(() => key.put('two'));
      const slow = createObjects({ clock: createClock(() => Date.now() - 3_600_000), settler });
      await slow.put({ bucket: { ...key.bucket, versioning: 'never' }, key: 'k' }, putOf('late'), testCall());
      const { mtime } = await key.find();
      const lock = { retention: { mode: 'GOVERNANCE', until: Date.now() + 60_000 } } as const;
      if (what === 'its tags') {
        await objects.amend({ bucket: key.bucket, key: 'k' }, () => ({ tags: [{ key: 'a', value: 'b' }] }), testCall());
      } else {
        await objects.amend({ bucket: key.bucket, key: 'k', versionId: two }, () => ({ lock }), testCall());
      }
      expect([await key.text(), (await key.find()).mtime]).toEqual(['late', mtime]);

      const three = (await slow.put({ bucket: key.bucket, key: 'k' }, putOf('three'), testCall())).versionId;
      expect([await key.text(), three < two, (await key.find('null')).mtime]).toEqual(['three', true, mtime]); // names of newer versions are smaller
      await key.remove(three);
      expect([await key.text(), await key.text('null'), await key.text(two)]).toEqual(['late', 'late', 'two']);
    },
  );

  const LATE_CHANGES = {
    'tags it': (late: Objects, bucket: Bucket) =>
      late.amend({ bucket, key: 'k' }, () => ({ tags: [{ key: 'a', value: 'b' }] }), testCall()),
    'replaces it on condition': async (late: Objects, bucket: Bucket) => {
      const { etag } = await late.find({ bucket, key: 'k' }, testCall());
      await late.put({ bucket, key: 'k' }, putOf('late', { conditions: { ifMatch: etag } }), testCall());
    },
    'makes it where nothing is': async (late: Objects, bucket: Bucket) => {
      await late.remove({ bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall());
      await late.put({ bucket, key: 'k' }, putOf('late', { conditions: { ifNoneMatch: '*' } }), testCall());
    },
  };

  it.each(Object.keys(LATE_CHANGES) as (keyof typeof LATE_CHANGES)[])(
    'knows where a late head stands when another late request %s',
    async (what) => {
      const key = await VersionedBucket.create();
      const enabled: Versioning = 'enabled';
      key.bucket = { ...key.bucket, versioning: enabled, versionedSince: Date.now() };
      const { objects, settler } = key.manifest;
      const two = await key.put('one').then(() => key.put('two'));
      const slow = createObjects({ clock: createClock(() => Date.now() - 3_600_000), settler });
      const before = { ...key.bucket, versioning: 'never' } as const;
      await slow.put({ bucket: before, key: 'k' }, putOf('late'), testCall());
      await LATE_CHANGES[what](slow, before);

      const three = (await slow.put({ bucket: key.bucket, key: 'k' }, putOf('three'), testCall())).versionId;
      expect([await key.text(), three < two]).toEqual(['three', true]); // names of newer versions are smaller
      const { entries } = await createListing().versions(
        key.bucket,
        { prefix: '', delimiter: '', after: '', limit: 10 },
        testCall(),
      );
      expect(entries.map((entry) => (entry.kind === 'prefix' ? '' : entry.versionId)).slice(0, 3)).toEqual([
        three,
        'null',
        two,
      ]);
      await objects.remove(
        { bucket: key.bucket, key: 'k', versionId: three },
        { conditions: {}, ownerId: OWNER },
        testCall(),
      );
      expect([await key.text(), await key.text(two)]).toEqual(['late', 'two']);
    },
  );

  it('finds the versions of a key whose head is gone', async () => {
    const key = await VersionedBucket.create();
    key.bucket = { ...key.bucket, versionedSince: Date.now() };
    const one = await key.put('one');
    await key.manifest.store.remove({ container: 'bucket', name: 'k' }, undefined, testCall());
    expect([await key.text(), await key.text(one)]).toEqual(['one', 'one']);
  });
});

describe('a copy of the current version over itself', () => {
  it.each(['enabled', 'suspended'] as const)(
    'is told to look again, when the service does not say which condition failed: %s',
    async (versioning) => {
      const key = await VersionedBucket.create();
      const one = await key.put('one');
      key.set(versioning);
      const { objects, store } = key.manifest;
      const copy = store.copy.bind(store);
      store.copy = (...request) =>
        copy(...request).catch((error: unknown) => {
          throw isStoreError(error, 'sourceConditionFailed')
            ? new StoreError('conditionFailed', { call: 'copy' })
            : error;
        });
      const attempt = async (): Promise<unknown> => {
        const view = await key.find(one);
        const source = { bucket: key.bucket, view };
        const request = {
          source,
          conditions: {},
          ownerId: view.ownerId,
          attributes: { ...view, storageClass: 'GLACIER' },
          sameAttributes: false,
        };
        return objects.copy({ bucket: key.bucket, key: 'k' }, request, testCall());
      };
      await expect(attempt()).rejects.toMatchObject({ kind: 'sourceConditionFailed' });
      await attempt();
      expect([await key.text(), await key.text(one), (await key.find()).storageClass]).toEqual([
        'one',
        'one',
        'GLACIER',
      ]);
    },
  );
});
