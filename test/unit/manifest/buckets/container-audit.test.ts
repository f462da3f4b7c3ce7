import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { type BucketRecord, encodeBucketRecord } from '../../../../src/manifest/records/bucket-record.ts';
import { auditContainers } from '../../../../src/manifest/buckets/container-audit.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

type Prepare = (
  put: (name: string, record: Partial<BucketRecord>) => Promise<void>,
  store: MemoryBlobStore,
) => Promise<unknown>;

async function audited(prepare: Prepare): Promise<string[]> {
  const store = new MemoryBlobStore();
  const { realm, buckets } = await testManifest({ store });
  const [backend] = realm.backends;
  if (backend === undefined) throw new Error('no backend');
  await buckets.create({ name: 'dotted.name', ownerId: 'TENANT' }, testCall());
  await store.createContainer('native', {}, testCall());
  await prepare(async (name, more) => {
    const record: BucketRecord = {
      uid: `uid-${name}`,
      owner: 'TENANT',
      createdAt: 1,
      container: name,
      versioning: 'never',
      settings: {},
      ...more,
    };
    const { body, metadata } = encodeBucketRecord(record);
    await store.write({ container: 'system', name: `b/${name}` }, body, { metadata }, testCall());
  }, store);
  return (await auditContainers(backend, testCall())).map(({ detail }) => detail);
}

describe('containers and the records that name them', () => {
  it("are in order where each is its bucket's own, native, or without a uid", async () => {
    expect(
      await audited(async (put, store) => {
        await put('older', {});
        await store.createContainer('older', {}, testCall());
        await put('half-made', { state: { kind: 'claimed' } });
        await put('gone', { state: { kind: 'deleted', id: 'x' } });
      }),
    ).toEqual([]);
  });

  it.each<[string, Prepare, RegExp]>([
    [
      'shared by two buckets',
      async (put, store) => {
        await store.createContainer('shared', {}, testCall());
        await put('a.shared', { container: 'shared' });
        await put('shared', {});
      },
      /^buckets a\.shared, shared share container shared/,
    ],
    [
      'marked for another bucket',
      async (put, store) => {
        await store.createContainer('squat', { owner: 'uid-other' }, testCall());
        await put('squat', { owned: true });
      },
      /^container squat of bucket squat carries the mark of another bucket/,
    ],
    [
      'made anew by other tools',
      async (put, store) => {
        await store.createContainer('anew', {}, testCall());
        await put('anew', { owned: true });
      },
      /^container anew of bucket anew has lost its mark/,
    ],
    [
      'marked for a bucket that there is not',
      (_put, store) => store.createContainer('orphan', { owner: 'uid-nobody' }, testCall()),
      /^container orphan was made for a bucket that this gateway does not have/,
    ],
  ])('are told of when one is %s', async (_what, prepare, expected) => {
    const found = await audited(prepare);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });
});
