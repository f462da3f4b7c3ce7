import { describe, expect, it } from 'vitest';
import { type FaultPlan, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { BucketSettings } from '../../../../src/manifest/records/bucket.ts';
import { createBucketRegistry } from '../../../../src/manifest/buckets/buckets.ts';
import { OWNER, type TestManifest, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const tagged =
  (value: string) =>
  (settings: BucketSettings): BucketSettings => ({ ...settings, tags: [{ key: 'tag', value }] });

interface Scene extends TestManifest {
  plan: FaultPlan;
  readonly tag: (name?: string) => Promise<string | undefined>;
}

async function scene(): Promise<Scene> {
  const state: { plan: FaultPlan } = { plan: () => undefined };
  const manifest = await testManifest({
    store: withFaults(new MemoryBlobStore(), (call) => state.plan(call)),
    cacheMs: 60_000,
  });
  const tag = async (name = 'bucket'): Promise<string | undefined> => {
    const bucket = await manifest.buckets.get(name, testCall());
    return (await manifest.buckets.latest(bucket, testCall())).settings.tags?.[0]?.value;
  };
  return Object.assign(state, manifest, { tag });
}

describe('amending a bucket', () => {
  it('takes two calls, is known at once, and leaves the rest of the record', async () => {
    const { buckets, bucket } = await scene();
    const call = testCall();
    await buckets.amend(bucket, tagged('1'), call);
    expect(call.facts.backendCalls).toBe(2);
    const { settings, recordRevision, ...rest } = await buckets.get('bucket', testCall());
    expect(settings).toEqual({ tags: [{ key: 'tag', value: '1' }] });
    const { settings: _settings, recordRevision: before, ...same } = bucket;
    expect(rest).toEqual(same);
    expect(recordRevision).not.toBe(before);
  });

  it('writes nothing when nothing changes', async () => {
    const { buckets, bucket } = await scene();
    await buckets.amend(bucket, tagged('1'), testCall());
    const call = testCall();
    await buckets.amend(bucket, tagged('1'), call);
    expect(call.facts.backendCalls).toBe(1);
  });

  it('is read by other replicas past their caches', async () => {
    const { realm, buckets, bucket } = await scene();
    const other = createBucketRegistry({ realm, cacheMs: 60_000, onHidden: () => undefined });
    const stale = await other.get('bucket', testCall());
    await buckets.amend(bucket, tagged('1'), testCall());
    expect((await other.latest(stale, testCall())).settings.tags).toHaveLength(1);
  });

  it('keeps what others change meanwhile', async () => {
    const state = await scene();
    const { realm, buckets, bucket } = state;
    const other = createBucketRegistry({ realm, cacheMs: 0, onHidden: () => undefined });
    let met = false;
    state.plan = ({ method }) => {
      if (method !== 'write' || met) return undefined;
      met = true;
      return { kind: 'interleave', before: () => other.amend(bucket, tagged('other'), testCall()) };
    };
    const seen: unknown[] = [];
    await buckets.amend(
      bucket,
      (settings) => (seen.push(settings.tags?.[0]?.value), tagged('mine')(settings)),
      testCall(),
    );
    expect(seen).toEqual([undefined, 'other']);
    expect(await state.tag()).toBe('mine');
  });

  it.each(['loseAnswer', 'loseRequest'] as const)('survives a lost answer: %s', async (kind) => {
    const state = await scene();
    let lost = 0;
    state.plan = ({ method }) => (method === 'write' && lost++ === 0 ? { kind } : undefined);
    await state.buckets.amend(state.bucket, tagged('1'), testCall());
    expect(lost).toBe(kind === 'loseAnswer' ? 1 : 2);
    expect(await state.tag()).toBe('1');
  });

  it('adopts a container that native tools made, also when it is the first record of all', async () => {
    const store = new MemoryBlobStore();
    await store.createContainer('native', {}, testCall());
    const backend = { name: 'test', store, systemContainer: 'system', ownerId: OWNER };
    const buckets = createBucketRegistry({
      realm: { backends: [backend], backendOf: () => backend },
      cacheMs: 60_000,
      onHidden: () => undefined,
    });
    const before = await buckets.get('native', testCall());
    expect(before.settings).toEqual({});
    await buckets.amend(before, tagged('1'), testCall());
    const after = await buckets.get('native', testCall());
    expect(after).toEqual({
      ...before,
      settings: { tags: [{ key: 'tag', value: '1' }] },
      recordRevision: after.recordRevision,
    });
    expect(after.uid).toBe('native.native');
    expect(after.recordRevision).toBeDefined();
    expect((await buckets.list({ ownerId: OWNER, limit: 10 }, testCall())).buckets.map(({ name }) => name)).toEqual([
      'native',
    ]);
  });

  it('refuses a bucket that is gone, was made anew, or is being deleted', async () => {
    const { buckets, bucket, realm, store } = await scene();
    const other = createBucketRegistry({ realm, cacheMs: 0, onHidden: () => undefined });
    await other.delete(bucket, () => Promise.resolve(true), testCall());
    await expect(buckets.amend(bucket, tagged('1'), testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
    await other.create({ name: 'bucket', ownerId: OWNER }, testCall());
    await expect(buckets.amend(bucket, tagged('1'), testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
    await expect(buckets.latest(bucket, testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });

    const again = await other.get('bucket', testCall());
    expect(again.settings).toEqual({});
    let code: unknown;
    const looks: boolean[] = [];
    await other.delete(
      again,
      async () => {
        if (looks.push(true) === 2) {
          code = await other
            .amend(again, tagged('1'), testCall())
            .catch((error: unknown) => (error as { code?: string }).code);
        }
        return true;
      },
      testCall(),
    );
    expect(code).toBe('OperationAborted');
    await expect(store.headContainer('bucket', testCall())).rejects.toMatchObject({ kind: 'containerNotFound' });
  });

  it('is undone by a refusal before anything is written', async () => {
    const { buckets, bucket, tag } = await scene();
    const refuse = (): never => {
      throw new Error('no');
    };
    await expect(buckets.amend(bucket, refuse, testCall())).rejects.toThrow('no');
    expect(await tag()).toBeUndefined();
  });
});
