import { describe, expect, it } from 'vitest';
import { type FaultPlan, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { BucketAmendment } from '../../../../src/manifest/buckets/bucket-amend.ts';
import { type BucketRegistry, createBucketRegistry } from '../../../../src/manifest/buckets/buckets.ts';
import { OWNER, type TestManifest, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { TestTime } from '../../../support/test-time.ts';

const CACHE_MS = 60;

interface Scene extends TestManifest {
  readonly time: TestTime;
  plan: FaultPlan;
}

async function scene(): Promise<Scene> {
  const state: { time: TestTime; plan: FaultPlan } = { time: new TestTime(), plan: () => undefined };
  const store = withFaults(new MemoryBlobStore(), (call) => state.plan(call));
  return Object.assign(state, await testManifest({ store, cacheMs: CACHE_MS, time: state.time }));
}

function replica({ realm, time }: Pick<Scene, 'realm' | 'time'>, cacheMs = CACHE_MS): BucketRegistry {
  return createBucketRegistry({ realm, cacheMs, time, onHidden: () => undefined });
}

/** What the work gives; time goes by, a millisecond after the other, while it sleeps. `each` runs before every one. */
async function passing<T>(time: TestTime, work: Promise<T>, each?: () => Promise<void>): Promise<T> {
  const progress = { over: false };
  const over = work.finally(() => {
    progress.over = true;
  });
  over.catch(() => undefined);
  while (!progress.over) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!time.isAsleep) continue;
    await each?.();
    time.advance(1);
  }
  return over;
}

const locked: BucketAmendment = (settings) => ({ ...settings, objectLock: {} });

describe('versioning of a bucket', () => {
  it('is never until it is enabled; then there are two states, and the time of leaving never stands', async () => {
    const { buckets, bucket, time } = await scene();
    expect(bucket.versioning).toBe('never');
    expect(bucket).not.toHaveProperty('versionedSince');
    const before = time.now();
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    const enabled = await buckets.get('bucket', testCall());
    expect(enabled).toMatchObject({ versioning: 'enabled', versionedSince: before });
    for (const versioning of ['enabled', 'suspended', 'suspended', 'enabled'] as const) {
      await passing(time, buckets.setVersioning(bucket, versioning, testCall()));
      expect(await buckets.get('bucket', testCall())).toMatchObject({
        versioning,
        versionedSince: enabled.versionedSince,
      });
    }
  });

  it('has left never when it was suspended first', async () => {
    const { buckets, bucket, time } = await scene();
    await passing(time, buckets.setVersioning(bucket, 'suspended', testCall()));
    const { versionedSince } = await buckets.get('bucket', testCall());
    expect(versionedSince).toBeGreaterThan(0);
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    expect(await buckets.get('bucket', testCall())).toMatchObject({ versioning: 'enabled', versionedSince });
  });

  it.each(['enabled', 'suspended'] as const)(
    '%s is known to every replica when the answer is given',
    async (versioning) => {
      const state = await scene();
      const { buckets, bucket, time } = state;
      if (versioning === 'suspended') await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
      // Each has looked at another moment, the last one just before the change.
      const others = Array.from({ length: 4 }, () => replica(state));
      for (const other of others) {
        time.advance(CACHE_MS / 4);
        await other.get('bucket', testCall());
      }
      const known = new Set<string>();
      await passing(time, buckets.setVersioning(bucket, versioning, testCall()), async () => {
        for (const other of others) known.add((await other.get('bucket', testCall())).versioning);
      });
      expect(known.size, 'they learn of it one after the other').toBe(2);
      for (const other of others) expect((await other.get('bucket', testCall())).versioning).toBe(versioning);
    },
  );

  it('waits also when nothing changes: whoever changed it may have died waiting', async () => {
    const { buckets, bucket, time } = await scene();
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    const call = testCall();
    const before = time.now();
    await passing(time, buckets.setVersioning(bucket, 'enabled', call));
    expect(time.now() - before).toBeGreaterThanOrEqual(CACHE_MS);
    expect(call.facts.backendCalls, 'one read, no write').toBe(1);
  });

  it.each(['loseAnswer', 'loseRequest'] as const)('survives a lost answer: %s', async (kind) => {
    const state = await scene();
    let writes = 0;
    state.plan = ({ method }) => (method === 'write' && writes++ === 0 ? { kind } : undefined);
    await passing(state.time, state.buckets.setVersioning(state.bucket, 'enabled', testCall()));
    expect(writes).toBe(kind === 'loseAnswer' ? 1 : 2);
    expect((await state.buckets.get('bucket', testCall())).versioning).toBe('enabled');
  });

  it('keeps settings that are made meanwhile, and they keep it', async () => {
    const state = await scene();
    const { buckets, bucket, time } = state;
    const other = replica(state, 0);
    const tags = [{ key: 'a', value: 'b' }];
    let met = false;
    state.plan = ({ method }) => {
      if (method !== 'write' || met) return undefined;
      met = true;
      return {
        kind: 'interleave',
        before: () => other.amend(bucket, (settings) => ({ ...settings, tags }), testCall()),
      };
    };
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    await other.amend(bucket, (settings) => ({ ...settings, ownership: 'ObjectWriter' }), testCall());
    expect(await other.get('bucket', testCall())).toMatchObject({
      versioning: 'enabled',
      settings: { tags, ownership: 'ObjectWriter' },
    });
  });

  it('adopts a container that native tools made', async () => {
    const { buckets, store, time } = await scene();
    await store.createContainer('native', {}, testCall());
    const native = await buckets.get('native', testCall());
    await passing(time, buckets.setVersioning(native, 'enabled', testCall()));
    expect(await buckets.get('native', testCall())).toMatchObject({
      versioning: 'enabled',
      uid: 'native.native',
      ownerId: OWNER,
    });
  });

  it('is told to amendments, which may depend on it', async () => {
    const { buckets, bucket, time } = await scene();
    const seen: string[] = [];
    const look: BucketAmendment = (settings, versioning) => (seen.push(versioning), settings);
    await buckets.amend(bucket, look, testCall());
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    await buckets.amend(bucket, look, testCall());
    expect(seen).toEqual(['never', 'enabled']);
  });
});

describe('object lock of a bucket', () => {
  it('asked for at creation makes it versioned from its first moment', async () => {
    const { buckets, time } = await scene();
    await buckets.create({ name: 'locked', ownerId: OWNER, settings: { objectLock: {} } }, testCall());
    const bucket = await buckets.get('locked', testCall());
    expect(bucket).toMatchObject({ versioning: 'enabled', settings: { objectLock: {} } });
    expect(bucket).not.toHaveProperty('versionedSince');
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    expect(await buckets.get('locked', testCall())).not.toHaveProperty('versionedSince');
  });

  it('keeps versioning from being suspended, whichever came last', async () => {
    const state = await scene();
    const { buckets, bucket, time } = state;
    await passing(time, buckets.setVersioning(bucket, 'enabled', testCall()));
    const other = replica(state, 0);
    let met = false;
    state.plan = ({ method }) => {
      if (method !== 'write' || met) return undefined;
      met = true;
      return { kind: 'interleave', before: () => other.amend(bucket, locked, testCall()) };
    };
    await expect(passing(time, buckets.setVersioning(bucket, 'suspended', testCall()))).rejects.toMatchObject({
      code: 'InvalidBucketState',
    });
    expect(met).toBe(true);
    expect(await other.get('bucket', testCall())).toMatchObject({
      versioning: 'enabled',
      settings: { objectLock: {} },
    });
  });
});

describe('a bucket created again', () => {
  it.each([
    ['with nothing said', {}, true],
    ['with the same ownership', { ownership: 'BucketOwnerPreferred' }, true],
    ['with another ownership', { ownership: 'ObjectWriter' }, false],
    ['with object lock, which it has not', { objectLock: {} }, false],
  ] as const)('%s', async (_name, settings, stays) => {
    const { buckets } = await scene();
    await buckets.create(
      { name: 'twice', ownerId: OWNER, settings: { ownership: 'BucketOwnerPreferred' } },
      testCall(),
    );
    const again = buckets.create(
      { name: 'twice', ownerId: OWNER, settings, defaults: { ownership: 'BucketOwnerEnforced' } },
      testCall(),
    );
    if (stays) expect(await again).toBe(false);
    else await expect(again).rejects.toMatchObject({ code: 'BucketAlreadyExists' });
    expect((await buckets.get('twice', testCall())).settings).toEqual({ ownership: 'BucketOwnerPreferred' });
  });

  it('keeps what it got when it was new: the defaults, where nothing else was asked for', async () => {
    const { buckets } = await scene();
    const defaults = { ownership: 'BucketOwnerEnforced' } as const;
    await buckets.create({ name: 'one', ownerId: OWNER, defaults }, testCall());
    await buckets.create(
      { name: 'other', ownerId: OWNER, defaults, settings: { ownership: 'ObjectWriter' } },
      testCall(),
    );
    expect(await buckets.create({ name: 'one', ownerId: OWNER, defaults: {} }, testCall())).toBe(false);
    expect((await buckets.get('one', testCall())).settings).toEqual(defaults);
    expect((await buckets.get('other', testCall())).settings).toEqual({ ownership: 'ObjectWriter' });
  });
});

describe('a setting that must be known everywhere', () => {
  it('is, when the answer is given', async () => {
    const state = await scene();
    const { buckets, bucket, time } = state;
    const other = replica(state);
    await other.get('bucket', testCall());
    await passing(time, buckets.amendEverywhere(bucket, locked, testCall()));
    expect((await other.get('bucket', testCall())).settings).toEqual({ objectLock: {} });
  });
});
