import { beforeEach, describe, expect, it } from 'vitest';
import { type Fault, withFaults } from '../../../../adapters/memory/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { type VersionsRequest, createListing } from '../../../../src/manifest/listing/listing.ts';
import { headPlace } from '../../../../src/manifest/records/names.ts';
import { type LooseRecord, RECORD_NAME, encodeRecord } from '../../../../src/manifest/records/record.ts';
import { deletionRef, ownKey, versionRef } from '../../../../src/manifest/records/version-names.ts';
import { newToken, tokenOfUpload } from '../../../../src/manifest/records/version-token.ts';
import { encodeClaim } from '../../../../src/manifest/versions/upload-claim.ts';
import type { BlobRef, BlobStore } from '../../../../src/store/blob-store.ts';
import { OWNER, type TestManifest, putOf, testManifest } from '../../../support/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { label, walkPages } from '../../../model/listing/listing-model.ts';
import { ModelledBucket, labelOf, walkVersions } from '../../../model/listing/versions-model.ts';

const ALL: VersionsRequest = { prefix: '', delimiter: '', after: '', limit: 1000 };

let manifest: TestManifest;
let model: ModelledBucket;

async function fresh(store?: BlobStore): Promise<void> {
  manifest = await testManifest(store === undefined ? {} : { store });
  model = new ModelledBucket({ ...manifest.bucket, versioning: 'enabled' }, manifest.objects);
}
beforeEach(() => fresh());

interface Page {
  readonly shown: string[];
  readonly next: string | undefined;
  readonly nextVersion: string | undefined;
  readonly calls: number;
}

async function list(more: Partial<VersionsRequest> = {}, bucket: Bucket = model.bucket): Promise<Page> {
  const call = testCall();
  const page = await createListing().versions(bucket, { ...ALL, ...more }, call);
  return {
    shown: page.entries.map(labelOf),
    next: page.next,
    nextVersion: page.nextVersion,
    calls: call.facts.backendCalls,
  };
}

async function write(
  ref: BlobRef,
  record: LooseRecord | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const metadata = { ...(record && { [RECORD_NAME]: encodeRecord(record) }), ...more };
  await manifest.store.write(ref, new Uint8Array(0), { metadata }, testCall());
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`);
}

describe('what is said of a version', () => {
  it('is what reading it says, of the current one and of others, and a marker has its owner and time', async () => {
    const checksum = { algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' } as const;
    const special = putOf('one', {
      ownerId: 'somebody',
      checksum,
      attributes: { headers: {}, userMetadata: { a: 'b' }, storageClass: 'GLACIER' },
    });
    const ids: string[] = [];
    for (const request of [special, special]) {
      ids.push((await manifest.objects.put({ bucket: model.bucket, key: 'k' }, request, testCall())).versionId);
    }
    const marker = await manifest.objects.remove(
      { bucket: model.bucket, key: 'k', versionId: undefined },
      { conditions: {}, ownerId: 'deleter' },
      testCall(),
    );
    ids.push((await manifest.objects.put({ bucket: model.bucket, key: 'k' }, special, testCall())).versionId);

    const { entries } = await createListing().versions(model.bucket, ALL, testCall());
    const views = await Promise.all(
      [ids[2], ids[1], ids[0]].map((versionId) =>
        manifest.objects.find({ bucket: model.bucket, key: 'k', versionId }, testCall()),
      ),
    );
    const [top, second, third] = views.map(
      ({ key, versionId, etag, size, mtime, ownerId, storageClass, archived }) => ({
        kind: 'version',
        key,
        versionId,
        isLatest: versionId === ids[2],
        etag,
        size,
        mtime,
        ownerId,
        storageClass,
        archived,
        checksum,
      }),
    );
    expect(entries).toEqual([
      top,
      {
        kind: 'marker',
        key: 'k',
        versionId: marker.versionId,
        isLatest: false,
        ownerId: 'deleter',
        mtime: expect.any(Number) as number,
      },
      second,
      third,
    ]);
    expect(top).toMatchObject({ ownerId: 'somebody', size: 3, storageClass: 'GLACIER' });
  });

  it('costs no second look at quiet keys', async () => {
    for (const key of ['a', 'b', 'c']) {
      for (let n = 0; n < 3; n++) await model.put(key);
    }
    await model.remove('b');
    expect((await list()).calls).toBe(3);
  });

  it('of the current null version comes from the head, of a multipart object too', async () => {
    const token = newToken(5_000_000);
    await write(headPlace({ bucket: model.bucket, key: 'k' }).ref, {
      kind: 'mlink',
      seq: 9_000_000,
      version: token,
      size: 7,
      etag: 'abc-2',
      ring: [],
    });
    // Its own blob has a place further down.
    await write(versionRef({ bucket: model.bucket, key: 'k' }, token), {
      kind: 'inline',
      seq: 5_000_000,
      etag: 'abc-2',
    });
    await write(versionRef({ bucket: model.bucket, key: 'k' }, newToken(7_000_000)), {
      kind: 'inline',
      seq: 7_000_000,
      etag: 'x',
      stamp: true,
    });
    const { entries } = await createListing().versions(model.bucket, ALL, testCall());
    expect(entries).toMatchObject([
      { versionId: 'null', isLatest: true, etag: 'abc-2', size: 7 },
      { isLatest: false, etag: 'x' },
    ]);
  });
});

describe('what is no version', () => {
  it.each<[string, (bucket: Bucket) => Promise<void>]>([
    [
      'a version that was never committed',
      (bucket) => write(versionRef({ bucket, key: 'k' }, newToken(1_000_000)), { kind: 'inline', seq: 1_000_000 }),
    ],
    [
      'the same, of a key without a head',
      (bucket) => write(versionRef({ bucket, key: 'j' }, newToken(1_000_000)), { kind: 'inline', seq: 1_000_000 }),
    ],
    [
      'a null version that no head names',
      (bucket) =>
        write(versionRef({ bucket, key: 'k' }, newToken(1_000_000)), { kind: 'inline', seq: 1_000_000, isNull: true }),
    ],
    [
      'the same, of a key without a head',
      (bucket) =>
        write(versionRef({ bucket, key: 'j' }, newToken(1_000_000)), { kind: 'inline', seq: 1_000_000, isNull: true }),
    ],
    [
      'an aborted upload',
      (bucket) =>
        write(
          versionRef({ bucket, key: 'k' }, tokenOfUpload(1_000_000, 'u')),
          undefined,
          encodeClaim({ kind: 'abort', uploadId: 'u', attempt: 'x' }),
        ),
    ],
    [
      'an upload that is being completed',
      (bucket) => {
        const claim = encodeClaim({
          kind: 'busy',
          uploadId: 'u',
          attempt: 'x',
          completion: { etag: 'e-1', list: 'l', size: 1, mtime: 1 } as never,
          base: {},
        });
        return write(
          versionRef({ bucket, key: 'k' }, tokenOfUpload(1_000_000, 'u')),
          { kind: 'inline', seq: 1_000_000, etag: 'e-1' },
          claim,
        );
      },
    ],
    [
      'a version above the head',
      (bucket) =>
        write(versionRef({ bucket, key: 'k' }, newToken(Date.now() * 2000)), {
          kind: 'inline',
          seq: Date.now() * 2000,
          stamp: true,
        }),
    ],
  ])('%s', async (_, make) => {
    await model.put('k');
    await make(model.bucket);
    expect((await list()).shown).toEqual(model.expected(ALL));
    expect((await list({ delimiter: 'k' })).shown).toEqual(['p:k']);
    expect((await list({ delimiter: 'j' })).shown).toEqual(model.expected(ALL));
  });

  it('what a head says is deleted is not shown though it is still there', async () => {
    const gone = newToken(1_000_000);
    const left = newToken(2_000_000);
    await write(headPlace({ bucket: model.bucket, key: 'k' }).ref, {
      kind: 'inline',
      seq: 9_000_000,
      dels: [gone],
      adds: [left],
      ring: [],
    });
    await write(versionRef({ bucket: model.bucket, key: 'k' }, gone), {
      kind: 'inline',
      seq: 1_000_000,
      stamp: true,
      etag: 'x',
    });
    await write(versionRef({ bucket: model.bucket, key: 'k' }, left), { kind: 'inline', seq: 2_000_000, etag: 'x' });
    expect((await list()).shown).toEqual(['v*:k@null', `v:k@${left}`]);
  });

  it('what is left of a key whose last version was deleted is not shown', async () => {
    await model.put('k');
    await write(headPlace({ bucket: model.bucket, key: 'j' }).ref, { kind: 'void', seq: 5, ring: [] });
    await write(versionRef({ bucket: model.bucket, key: 'j' }, newToken(1_000_000)), {
      kind: 'inline',
      seq: 1_000_000,
      stamp: true,
    });
    expect((await list()).shown).toEqual(model.expected(ALL));
  });

  it('hundreds that were never committed: short pages with bounded calls, and nothing is lost', async () => {
    await model.put('k');
    for (let n = 1; n <= 300; n++) {
      await write(versionRef({ bucket: model.bucket, key: 'k' }, newToken(n * 1_000_000)), {
        kind: 'inline',
        seq: n * 1_000_000,
      });
    }
    await model.put('l');
    const page = await list();
    expect(page.shown).toEqual(model.expected(ALL).slice(0, 1));
    expect(page.calls).toBeLessThanOrEqual(80);
    expect(page).toMatchObject({ next: 'k' });
    expect((await walkVersions(model.bucket, ALL)).flat()).toEqual(model.expected(ALL));
  });

  it('a null version that the head names in vain does not break the listing', async () => {
    await write(headPlace({ bucket: model.bucket, key: 'k' }).ref, {
      kind: 'inline',
      seq: 9_000_000,
      nullVersion: newToken(5_000_000),
      ring: [],
    });
    expect((await list()).shown).toEqual(['v*:k@null']);
  });
});

describe('version-id-marker', () => {
  it('of a version that is gone still tells the place', async () => {
    for (let n = 0; n < 5; n++) await model.put('k');
    const [, , third] = model.versionsOf('k');
    await model.removeVersion('k', 2);
    await model.put('l');
    const { shown } = await list({ after: 'k', afterVersion: third?.id ?? '' });
    expect(shown).toEqual(model.expected(ALL).slice(2));
  });

  it('null: behind the null version, wherever it is; when it is gone, the key anew', async () => {
    model.set('suspended');
    await model.put('k');
    model.set('enabled');
    await model.put('k');
    await model.put('k');
    const all = model.expected(ALL);
    expect((await list({ after: 'k', afterVersion: 'null' })).shown).toEqual([]);
    model.set('suspended');
    await model.put('k');
    expect((await list({ after: 'k', afterVersion: 'null' })).shown).toEqual(
      all.slice(0, 2).map((text) => text.replace('*', '')),
    );
    await model.removeVersion('k', 0);
    expect((await list({ after: 'k', afterVersion: 'null' })).shown).toEqual(model.expected(ALL));
    await model.remove('k');
    expect((await list({ after: 'k', afterVersion: 'null' })).shown).toEqual(model.expected(ALL).slice(1));
    expect((await list({ after: 'nothing', afterVersion: 'null' })).shown).toEqual([]);
  });

  it.each(['x', '', 'NULL', '0'.repeat(31), `2${'0'.repeat(31)}`])('%j is refused', async (afterVersion) => {
    await expect(list({ after: 'k', afterVersion })).rejects.toMatchObject({
      code: 'InvalidArgument',
      extra: { ArgumentName: 'version-id-marker', ArgumentValue: afterVersion },
    });
  });

  it('emptying a bucket page by page, each page deleted before the next is asked for', async () => {
    for (const versioning of ['suspended', 'enabled', 'suspended', 'enabled'] as const) {
      model.set(versioning);
      for (const key of ['a', 'b', 'c']) await model.put(key);
      await model.remove('b');
    }
    let place: { after: string; afterVersion?: string } | undefined = { after: '' };
    while (place !== undefined) {
      const page = await createListing().versions(model.bucket, { ...ALL, limit: 2, ...place }, testCall());
      for (const entry of page.entries) {
        if (entry.kind !== 'prefix') {
          await manifest.objects.remove(
            { bucket: model.bucket, key: entry.key, versionId: entry.versionId },
            { conditions: {}, ownerId: OWNER },
            testCall(),
          );
        }
      }
      place =
        page.next === undefined
          ? undefined
          : { after: page.next, ...(page.nextVersion !== undefined && { afterVersion: page.nextVersion }) };
    }
    expect((await list()).shown).toEqual([]);
    expect(await createListing().isEmpty(model.bucket, testCall())).toBe(true);
  });

  it('nothing for no keys, and no call', async () => {
    await model.put('k');
    expect(await list({ limit: 0 })).toEqual({ shown: [], next: undefined, nextVersion: undefined, calls: 0 });
  });
});

describe('names that are cut', () => {
  it('keep keys and versions in order though their hashes are not', async () => {
    await fresh(new MemoryBlobStore({ capabilities: { maxNameLength: 130, maxListPage: 3 } }));
    const stem = 's'.repeat(24);
    const keys = [
      '',
      'a',
      'b/1',
      'b/2',
      'c',
      ...['x', 'm', 'a', 'q', 'f'].map((end) => end.repeat(40)),
      ...['n', 'g'].map((end) => `d/${end.repeat(40)}`),
    ].map((end) => stem + end);
    for (const key of [...keys, ...keys]) await model.put(key);
    await model.remove(keys[5] ?? '');
    expect(keys.filter((key) => 'key' in ownKey({ bucket: model.bucket, key })).length).toBeGreaterThan(5);
    for (const request of [
      {},
      { delimiter: '/' },
      { delimiter: '/', prefix: `${stem}d` },
      { prefix: `${stem}${'m'.repeat(30)}` },
      { after: `${stem}c` },
    ]) {
      for (const limit of [1, 2, 5, 1000]) {
        const wanted = { ...ALL, ...request, limit };
        expect((await walkVersions(model.bucket, wanted)).flat()).toEqual(model.expected(wanted));
      }
    }
  });
});

describe('rolled-up prefixes', () => {
  const ask = { prefix: '', delimiter: '/', after: '', limit: 1000 };
  const objects = async (more: Partial<VersionsRequest> = {}): Promise<string[]> =>
    (await walkPages(model.bucket, { ...ask, ...more })).flat().map(label);

  it('of objects: not those under which everything is deleted, however many', async () => {
    await fresh(new MemoryBlobStore({ capabilities: { maxListPage: 50 } }));
    const dead = numbered('d', 300).map((folder) => `${folder}/k`);
    for (const key of dead) {
      await write(headPlace({ bucket: model.bucket, key }).ref, { kind: 'tomb', seq: 1, version: newToken(1) });
      await write(deletionRef({ bucket: model.bucket, key }).ref, { kind: 'void', seq: 1 });
    }
    for (const key of ['d00150/z', 'd00299/k\u0001', 'e/1', 'e/2']) await model.put(key);
    await model.remove('e/1');
    const expected = ['p:d00150/', 'p:d00299/', 'p:e/'];
    for (const limit of [1, 2, 1000]) expect(await objects({ limit })).toEqual(expected);
    const call = testCall();
    await createListing().objects(model.bucket, ask, call);
    expect(call.facts.backendCalls).toBeLessThanOrEqual(200);
  });

  it('of objects: with an index longer than is read, every prefix is looked into', async () => {
    await fresh(new MemoryBlobStore({ capabilities: { maxListPage: 5 } }));
    // Deleted keys at the top level lie between the folders.
    for (const key of numbered('d', 60)) {
      await write(deletionRef({ bucket: model.bucket, key }).ref, { kind: 'void', seq: 1 });
    }
    for (const key of ['d00010x/a', 'd00050x/a', 'd00050y/a']) await model.put(key);
    await model.remove('d00050x/a');
    expect(await objects()).toEqual(['p:d00010x/', 'p:d00050y/']);
  });

  it('of objects: one with more deleted keys than are looked at is shown rather than read for ever', async () => {
    await fresh(new MemoryBlobStore({ capabilities: { maxListPage: 10 } }));
    for (const key of numbered('d/', 500)) {
      await write(headPlace({ bucket: model.bucket, key }).ref, { kind: 'tomb', seq: 1, version: newToken(1) });
    }
    await write(deletionRef({ bucket: model.bucket, key: 'd/00000' }).ref, { kind: 'void', seq: 1 });
    expect(await objects()).toEqual(['p:d/']);
  });

  it('of versions: a delete marker is one, a key whose last version was deleted has none', async () => {
    await model.put('a/k');
    await model.remove('a/k');
    await write(headPlace({ bucket: model.bucket, key: 'b/k' }).ref, { kind: 'void', seq: 1, ring: [] });
    await write(deletionRef({ bucket: model.bucket, key: 'b/k' }).ref, { kind: 'void', seq: 1 });
    await write(versionRef({ bucket: model.bucket, key: 'c/k' }, newToken(1_000_000)), {
      kind: 'inline',
      seq: 1_000_000,
    });
    for (const delimiter of ['/', '/k', 'k']) {
      const prefix = delimiter.startsWith('/') ? `a${delimiter}` : 'a/k';
      expect((await list({ delimiter })).shown).toEqual([`p:${prefix}`]);
      expect((await list({ delimiter, limit: 1 })).shown).toEqual([`p:${prefix}`]);
    }
    expect(await objects()).toEqual([]);
  });

  it('of versions whose head a tool of the cloud removed are shown, and so are they', async () => {
    await model.put('a/k');
    await model.put('a/k');
    await manifest.store.remove(headPlace({ bucket: model.bucket, key: 'a/k' }).ref, undefined, testCall());
    const [, stamped] = model.versionsOf('a/k');
    expect((await list()).shown).toEqual([`v:a/k@${stamped?.id}`]);
    expect((await list({ delimiter: '/' })).shown).toEqual(['p:a/']);
    const justEnabled = { ...model.bucket, versionedSince: Date.now() };
    expect((await list({}, justEnabled)).shown).toEqual([`v*:a/k@${stamped?.id}`]);
  });
});

describe('versions that outlived their head', () => {
  async function survive(): Promise<string> {
    for (let n = 0; n < 3; n++) await model.put('k');
    await manifest.settler.idle();
    await manifest.store.remove(headPlace({ bucket: model.bucket, key: 'k' }).ref, undefined, testCall());
    return `v:k@${model.versionsOf('k')[2]?.id}`;
  }

  it('cost one look at the head, however many they are', async () => {
    await survive();
    const { shown, calls } = await list();
    expect(shown).toHaveLength(2);
    expect(calls).toBe((await list({ after: 'k' })).calls + 1);
  });

  it('are shown beneath an object that is written while they are listed', async () => {
    let latest = 0;
    for (let n = 1; n <= 4; n++) {
      for (const side of ['before', 'after'] as const) {
        let plan: () => Fault | undefined = () => undefined;
        await fresh(withFaults(new MemoryBlobStore(), () => plan()));
        const oldest = await survive();
        let calls = 0;
        const act = async (): Promise<void> => {
          plan = () => undefined;
          await model.put('k');
          await manifest.settler.idle();
        };
        plan = () => (++calls === n ? { kind: 'interleave', [side]: act } : undefined);
        const { shown } = await list();
        plan = () => undefined;
        expect(shown.filter((one) => one === oldest)).toEqual([oldest]);
        expect(new Set(shown).size).toBe(shown.length);
        expect([2, 3]).toContain(shown.length);
        expect(shown.findIndex((one) => one.startsWith('v*:'))).toBe(shown.length === 3 ? 0 : -1);
        latest += shown.length - 2;
      }
    }
    expect(latest).toBeGreaterThan(2);
  });
});

describe('isEmpty of a bucket that ever had versioning', () => {
  it.each<[string, boolean, () => Promise<unknown>]>([
    ['a delete marker alone', false, () => model.remove('k')],
    [
      'a version whose head is gone',
      false,
      async () => {
        await model.put('k');
        await model.put('k');
        await manifest.store.remove(headPlace({ bucket: model.bucket, key: 'k' }).ref, undefined, testCall());
      },
    ],
    [
      'an upload, and what was never committed',
      true,
      async () => {
        await write(
          versionRef({ bucket: model.bucket, key: 'k' }, tokenOfUpload(1_000_000, 'u')),
          undefined,
          encodeClaim({ kind: 'abort', uploadId: 'u', attempt: 'x' }),
        );
        await write(versionRef({ bucket: model.bucket, key: 'k' }, newToken(1_000_000)), {
          kind: 'inline',
          seq: 1_000_000,
        });
      },
    ],
    [
      'what is left of a key whose last version was deleted',
      true,
      async () => {
        await write(headPlace({ bucket: model.bucket, key: 'k' }).ref, { kind: 'void', seq: 5, ring: [] });
        await write(versionRef({ bucket: model.bucket, key: 'k' }, newToken(1_000_000)), {
          kind: 'inline',
          seq: 1_000_000,
          stamp: true,
        });
      },
    ],
    [
      'versions that were all deleted',
      true,
      async () => {
        await model.put('k');
        await model.remove('k');
        await model.removeVersion('k', 0);
        await model.removeVersion('k', 0);
      },
    ],
  ])('%s: %s', async (_, isEmpty, fill) => {
    await fill();
    expect(await createListing().isEmpty(model.bucket, testCall())).toBe(isEmpty);
  });
});
