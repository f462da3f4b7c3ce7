import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { type VersionsRequest, createListing } from '../../../../src/manifest/listing/listing.ts';
import { headPlace } from '../../../../src/manifest/records/names.ts';
import { deletionRef, ownKey, versionRef } from '../../../../src/manifest/records/version-names.ts';
import { newToken } from '../../../../src/manifest/records/version-token.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { label, walkPages } from '../../../model/listing/listing-model.ts';
import { walkVersions } from '../../../model/listing/versions-model.ts';

import { ALL, manifest, model, fresh, openScene, list, write, numbered } from './versions-scene.ts';

openScene();

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
      await write(headPlace({ bucket: model.bucket, key }).ref, { kind: 'marker', seq: 1, version: newToken(1) });
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
      await write(headPlace({ bucket: model.bucket, key }).ref, { kind: 'marker', seq: 1, version: newToken(1) });
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
