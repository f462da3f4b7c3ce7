import { describe, expect, it } from 'vitest';
import { type Fault, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { headPlace } from '../../../../src/manifest/records/names.ts';
import { versionRef } from '../../../../src/manifest/records/version-names.ts';
import { newToken, tokenOfUpload } from '../../../../src/manifest/records/version-token.ts';
import { encodeClaim } from '../../../../src/manifest/versions/upload-claim.ts';
import { testCall } from '../../../support/test-call.ts';

import { manifest, model, fresh, openScene, list, write } from './versions-scene.ts';

openScene();

describe('versions that outlived their head', () => {
  async function survive(): Promise<string> {
    for (let n = 0; n < 3; n++) await model.put('k');
    await manifest.settler.idle();
    const target = { bucket: model.bucket, key: 'k' };
    await manifest.store.remove(headPlace(target).ref, undefined, testCall());
    // A process that has not seen this remembers the head, and stamps its version when it next writes the key.
    await expect(manifest.objects.find(target, testCall())).rejects.toThrow();
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
