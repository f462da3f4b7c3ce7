import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { AmendedFields } from '../../../../src/manifest/versions/object-amendment.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { wrapStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

const by = (value: string): AmendedFields => ({ tags: [{ key: 'by', value }] });

/** A version's own blob whose first change of metadata gets no answer; what others do before anybody looks. */
async function withLostAnswer(
  applied: boolean,
  meanwhile: (key: VersionedBucket) => Promise<unknown>,
): Promise<{ key: VersionedBucket; id: string }> {
  const memory = new MemoryBlobStore();
  let isArmed = false;
  const store = wrapStore(memory, async ({ method }, run) => {
    if (!isArmed || method !== 'setMetadata') return run();
    isArmed = false;
    if (applied) await run();
    await meanwhile(key);
    throw new StoreError('unavailable', { call: method, lost: true });
  });
  const key = await VersionedBucket.create({ store });
  const id = await key.put('x');
  await key.put('y');
  await key.manifest.settler.idle();
  isArmed = true;
  return { key, id };
}

function amend(key: VersionedBucket, versionId: string, fields: AmendedFields): Promise<unknown> {
  return key.manifest.objects.amend({ bucket: key.bucket, key: 'k', versionId }, () => fields, testCall());
}

describe('tags of a version whose answer was lost', () => {
  it('are not set again over those that somebody set since', async () => {
    const { key, id } = await withLostAnswer(true, (own) => amend(own, id, by('B')));
    await amend(key, id, by('A'));
    expect((await key.find(id)).tags).toEqual([{ key: 'by', value: 'B' }]);
  });

  it('are set after all when the change did not happen, also over others', async () => {
    const { key, id } = await withLostAnswer(false, (own) => amend(own, id, by('B')));
    await amend(key, id, by('A'));
    expect((await key.find(id)).tags).toEqual([{ key: 'by', value: 'A' }]);
  });

  it('are an open question when more changes came in between than leave a proof', async () => {
    const { key, id } = await withLostAnswer(true, async (own) => {
      for (let n = 0; n < 9; n++) await amend(own, id, by(`B${n}`));
    });
    await expect(amend(key, id, by('A'))).rejects.toMatchObject({ kind: 'unavailable', lost: true });
    expect((await key.find(id)).tags).toEqual([{ key: 'by', value: 'B8' }]);
  });

  it('are an open question when the version is gone', async () => {
    const { key, id } = await withLostAnswer(true, (own) => own.remove(id));
    await expect(amend(key, id, by('A'))).rejects.toMatchObject({ kind: 'unavailable', lost: true });
  });
});
