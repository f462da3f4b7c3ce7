import { describe, expect, it } from 'vitest';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { headPlace } from '../../../../src/manifest/records/names.ts';
import { versionRef } from '../../../../src/manifest/records/version-names.ts';
import { newToken, tokenOfUpload } from '../../../../src/manifest/records/version-token.ts';
import { encodeClaim } from '../../../../src/manifest/versions/upload-claim.ts';
import { putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { walkVersions } from '../../../model/listing/versions-model.ts';

import { ALL, manifest, model, openScene, list, write } from './versions-scene.ts';

openScene();

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
      kind: 'assembled',
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
