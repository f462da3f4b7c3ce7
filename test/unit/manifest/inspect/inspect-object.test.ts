import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { createObjectInspector } from '../../../../src/manifest/inspect/inspect-object.ts';
import type { InspectedKey } from '../../../../src/manifest/inspect/inspected-key.ts';
import { versionRef } from '../../../../src/manifest/records/version-names.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';
import { UploadFixture } from '../upload-fixture.ts';

function inspect(bucket: Bucket, key = 'k'): Promise<InspectedKey> {
  return createObjectInspector({ buckets: { get: async () => bucket } }).inspect(bucket.name, key, testCall());
}

/** One word each: what a person tells them apart by. */
function outline({ versions }: InspectedKey): string[] {
  return versions.map(({ versionId, isCurrent, isVisible, isMarker }) =>
    [versionId, isCurrent && 'current', !isVisible && 'hidden', isMarker && 'marker'].filter(Boolean).join(' '),
  );
}

describe('a key as the manifest has it', () => {
  it('is nothing where nothing is', async () => {
    const { bucket } = await VersionedBucket.create();
    expect(await inspect(bucket)).toMatchObject({
      head: undefined,
      versions: [],
      uploads: [],
      moreVersions: false,
      moreUploads: false,
    });
  });

  it('shows an object of a bucket without versioning with everything that was said of it', async () => {
    const key = await VersionedBucket.create();
    key.set('never');
    await key.put('hello', {
      attributes: {
        headers: { contentType: 'text/plain' },
        userMetadata: { colour: 'blue' },
        tags: [{ key: 'a', value: 'b' }],
        lock: { legalHold: true },
      },
      acl: [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }],
      checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'NhCmhg==' },
    });
    const seen = await inspect(key.bucket);
    expect(seen.head?.record?.kind).toBe('inline');
    expect(outline(seen)).toEqual(['null current']);
    expect(seen.versions[0]).toMatchObject({
      ownerId: OWNER,
      ref: { container: 'bucket', name: 'k' },
      view: {
        size: 5,
        etag: '5d41402abc4b2a76b9719d911017c592',
        userMetadata: { colour: 'blue' },
        tags: [{ key: 'a', value: 'b' }],
        lock: { legalHold: true },
        checksum: { value: 'NhCmhg==' },
        acl: [{ permission: 'READ' }],
      },
    });
  });

  it('shows a blob that a tool of the cloud wrote, which has no record', async () => {
    const key = await VersionedBucket.create();
    await key.manifest.store.write(
      { container: 'bucket', name: 'k' },
      Buffer.from('native'),
      { metadata: { made: 'elsewhere' } },
      testCall(),
    );
    const seen = await inspect(key.bucket);
    expect(seen.head).toMatchObject({ record: undefined, userMetadata: { made: 'elsewhere' } });
    expect(outline(seen)).toEqual(['null current']);
    expect(seen.versions[0]?.view).toMatchObject({ size: 6 });
  });

  it('shows versions newest first, markers among them, and where each lies', async () => {
    const key = await VersionedBucket.create();
    key.set('never');
    await key.put('before');
    key.set('enabled');
    const one = await key.put('one');
    const marker = await key.remove();
    const two = await key.put('two');
    const seen = await inspect(key.bucket);
    expect(seen.head?.record?.kind).toBe('link');
    expect(outline(seen)).toEqual([`${two} current`, `${marker.versionId} marker`, one, 'null']);
    expect(seen.versions.map(({ view }) => view?.size)).toEqual([3, undefined, 3, 6]);
    expect(seen.versions[0]?.ref).toEqual(versionRef({ bucket: key.bucket, key: 'k' }, two));
    expect(seen.versions[2]).toMatchObject({ isStamped: true });
  });

  it('tells a marker on top, in a head of its own and in that of the null version', async () => {
    const key = await VersionedBucket.create();
    const one = await key.put('one');
    const marker = await key.remove();
    expect(outline(await inspect(key.bucket))).toEqual([`${marker.versionId} current marker`, one]);
    key.set('suspended');
    await key.remove();
    expect(outline(await inspect(key.bucket))).toEqual([
      'null current marker',
      `${String(marker.versionId)} marker`,
      one,
    ]);
  });

  it('shows an own blob that was never committed, as hidden', async () => {
    const key = await VersionedBucket.create();
    const one = await key.put('one');
    const source = versionRef({ bucket: key.bucket, key: 'k' }, one);
    const { metadata } = await key.manifest.store.head(source, testCall());
    const lost = `0${'1'.repeat(31)}`;
    await key.manifest.store.write(
      versionRef({ bucket: key.bucket, key: 'k' }, lost),
      Buffer.from('one'),
      { metadata },
      testCall(),
    );
    expect(outline(await inspect(key.bucket))).toEqual([`${one} current`, `${lost} hidden`]);
  });

  it('says of a record of a later release that it cannot be read, and shows the rest', async () => {
    const key = await VersionedBucket.create();
    const one = await key.put('one');
    const odd = `0${'1'.repeat(31)}`;
    await key.manifest.store.write(
      versionRef({ bucket: key.bucket, key: 'k' }, odd),
      Buffer.from('?'),
      { metadata: { s3gw: '{"v":99,"s":1}' } },
      testCall(),
    );
    const seen = await inspect(key.bucket);
    expect(outline(seen)).toEqual([`${one} current`, `${odd} hidden`]);
    expect(seen.versions[1]?.problem).toContain('newer than this release understands');
  });

  it('says when the blob that a head names is not there', async () => {
    const key = await VersionedBucket.create();
    const one = await key.put('one');
    await key.manifest.store.remove(versionRef({ bucket: key.bucket, key: 'k' }, one), undefined, testCall());
    const seen = await inspect(key.bucket);
    expect(outline(seen)).toEqual([`${one} current`]);
    expect(seen.versions[0]?.problem).toBe('its own blob was not found');
  });

  it('stops at a number of versions and says so', async () => {
    const key = await VersionedBucket.create();
    const template = await key.put('one');
    const { metadata } = await key.manifest.store.head(
      versionRef({ bucket: key.bucket, key: 'k' }, template),
      testCall(),
    );
    for (let i = 0; i < 205; i++) {
      const token = `1${String(i).padStart(31, '0')}`;
      await key.manifest.store.write(
        versionRef({ bucket: key.bucket, key: 'k' }, token),
        Buffer.from('x'),
        { metadata },
        testCall(),
      );
    }
    const seen = await inspect(key.bucket);
    expect(seen.versions).toHaveLength(201);
    expect(seen.versions[0]).toMatchObject({ versionId: template, isCurrent: true });
    expect(seen.versions[0]?.problem).toBeUndefined();
    expect(seen.moreVersions).toBe(true);
  });
});

describe('multipart uploads of a key', () => {
  it('show with their parts, and the object that comes of it with its part table, settled or not', async () => {
    const fixture = await UploadFixture.open({ settling: false });
    const { target, parts } = await fixture.started('k', 'aaaa', 'bb');
    const open = await inspect(fixture.bucket);
    const stored = [
      { number: 1, size: 4 },
      { number: 2, size: 2 },
    ];
    expect(open.uploads).toMatchObject([
      { uploadId: target.uploadId, ownerId: OWNER, parts: stored, moreParts: false },
    ]);
    expect(open.uploads[0]?.claim).toBeUndefined();
    await fixture.complete(target, parts);
    const done = await inspect(fixture.bucket);
    expect(done.head?.record?.kind).toBe('assembled');
    expect(outline(done)).toEqual(['null current']);
    expect(done.versions[0]?.view).toMatchObject({
      size: 6,
      parts: [
        { number: 1, size: 4 },
        { number: 2, size: 2 },
      ],
    });
    expect(done.versions[0]?.ref.container).toBe('system');
    expect(done.uploads).toEqual([]);
  });

  it("shows no other key's", async () => {
    const fixture = await UploadFixture.open();
    await fixture.started('k2', 'aaaa');
    expect((await inspect(fixture.bucket)).uploads).toEqual([]);
  });
});

it('changes nothing', async () => {
  const store = new MemoryBlobStore();
  const key = await VersionedBucket.create({ store, settling: false });
  await key.put('one');
  await key.remove();
  const calls: string[] = [];
  const watched = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
  await inspect({ ...key.bucket, home: { ...key.bucket.home, store: watched } });
  expect(new Set(calls)).toEqual(new Set(['head', 'list']));
});
