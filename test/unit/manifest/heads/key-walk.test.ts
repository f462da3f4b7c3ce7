import { describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Removed } from '../../../../src/manifest/heads/object-requests.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { type PortCall, wrapStore } from '../../../../src/store/wrap-store.ts';
import { mapConcurrent } from '../../../../src/streams/map-concurrent.ts';
import { OWNER, type TestManifest, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const KEYS = Array.from({ length: 300 }, (_, number) => `folder/${String(number).padStart(4, '0')}`);

type Around = (call: PortCall, run: () => Promise<unknown>) => Promise<unknown>;

class Scene {
  readonly store: BlobStore = new MemoryBlobStore();
  now = Date.now();
  seen: PortCall[] = [];
  /** Stands between the manifest and the store. */
  around: Around = (_call, run) => run();
  #manifest: TestManifest | undefined;

  static async open(keys: readonly string[] = KEYS): Promise<Scene> {
    const scene = new Scene();
    const counted = wrapStore(scene.store, (call, run) => {
      scene.seen.push(call);
      return scene.around(call, run) as ReturnType<typeof run>;
    });
    scene.#manifest = await testManifest({ store: counted, now: () => scene.now });
    for (const key of keys) await scene.put(key);
    scene.seen = [];
    return scene;
  }

  get manifest(): TestManifest {
    if (this.#manifest === undefined) throw new Error('not open');
    return this.#manifest;
  }

  get bucket(): Bucket {
    return this.manifest.bucket;
  }

  put(key: string, text = 'x', userMetadata = {}): Promise<unknown> {
    return this.manifest.objects.put(
      { bucket: this.bucket, key },
      putOf(text, { attributes: { headers: {}, userMetadata } }),
      testCall(),
    );
  }

  remove(key: string, ifMatch?: string): Promise<Removed> {
    const conditions = ifMatch === undefined ? {} : { ifMatch };
    const target = { bucket: this.bucket, key, versionId: undefined };
    return this.manifest.objects.remove(target, { conditions, ownerId: OWNER }, testCall());
  }

  async removeInTurn(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.remove(key);
  }

  calls(...methods: string[]): number {
    return this.seen.filter(({ method }) => methods.includes(method)).length;
  }

  /** What lies in the container, by name. */
  async left(): Promise<string[]> {
    const { entries } = await this.store.list(this.bucket.home.container, { limit: 1000 }, testCall());
    return entries.map(({ name }) => name);
  }
}

/** After these the next ones are known. */
const AHEAD = KEYS.slice(0, 20);
const NEXT = 'folder/0020';

describe('keys that are removed one after the other', () => {
  test.each([1, 10])('%i at a time: one call for each, but for the first of them', async (atOnce) => {
    const scene = await Scene.open();
    await mapConcurrent(KEYS, atOnce, (key) => scene.remove(key));
    expect(await scene.left()).toEqual([]);
    expect(scene.calls('remove')).toBe(KEYS.length);
    expect(scene.calls('list')).toBeLessThanOrEqual(2);
    expect(scene.calls('head')).toBeLessThanOrEqual(8 + 3 * atOnce);
  });

  test('what was overwritten since is removed as it is', async () => {
    const scene = await Scene.open();
    await scene.removeInTurn(AHEAD);
    await scene.put(NEXT, 'another');
    scene.seen = [];
    await scene.remove(NEXT);
    expect(scene.seen.map(({ method }) => method)).toEqual(['remove', 'head', 'remove']);
    expect(await scene.left()).not.toContain(NEXT);
  });

  test('what is gone already is no error, and is not looked for again', async () => {
    const scene = await Scene.open();
    await scene.removeInTurn(AHEAD);
    await scene.remove(NEXT);
    await scene.put(NEXT);
    await scene.remove(NEXT);
    expect(await scene.left()).not.toContain(NEXT);
    scene.seen = [];
    await scene.remove(NEXT);
    expect(scene.calls('remove')).toBe(0);
    const [gone = ''] = KEYS.slice(30);
    const ref = { container: scene.bucket.home.container, name: gone };
    await scene.store.remove(ref, (await scene.store.head(ref, testCall())).revision, testCall());
    expect(await scene.remove(gone)).toEqual({ deleteMarker: false });
  });

  test('a head that came with versions stays', async () => {
    const scene = await Scene.open();
    await scene.removeInTurn(AHEAD);
    const versioned = { ...scene.bucket, versioning: 'enabled' } as const;
    await scene.manifest.objects.put({ bucket: versioned, key: NEXT }, putOf('version'), testCall());
    await expect(scene.remove(NEXT)).rejects.toMatchObject({ detail: { code: 'BucketHasVersions' } });
    expect(await scene.left()).toContain(NEXT);
  });

  test('a condition is judged on the head as it is', async () => {
    const scene = await Scene.open();
    await scene.removeInTurn(AHEAD);
    const before = await scene.manifest.objects.find(
      { bucket: scene.bucket, key: NEXT, versionId: undefined },
      testCall(),
    );
    await scene.put(NEXT, 'another');
    await expect(scene.remove(NEXT, `"${before.etag}"`)).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect(await scene.left()).toContain(NEXT);
  });

  test('a minute later the head is read', async () => {
    const scene = await Scene.open();
    await scene.removeInTurn(AHEAD);
    scene.now += 60_000;
    scene.seen = [];
    await scene.remove(NEXT);
    expect(scene.seen.map(({ method }) => method)).toEqual(['head', 'remove']);
  });

  test('a listing that fails is nothing to who removes', async () => {
    const scene = await Scene.open();
    scene.around = async ({ method }, run) => {
      if (method === 'list') throw new StoreError('throttled', { call: 'list' });
      return run();
    };
    await scene.removeInTurn(AHEAD);
    expect(scene.calls('list')).toBeGreaterThan(0);
    expect(scene.calls('remove')).toBe(AHEAD.length);
  });

  test.each([1, 10])('nobody waits for a listing that hangs: %i at a time', async (atOnce) => {
    const scene = await Scene.open();
    const { promise: stuck, resolve: release } = Promise.withResolvers<undefined>();
    scene.around = async ({ method }, run) => {
      if (method === 'list') await stuck;
      return run();
    };
    await mapConcurrent(KEYS.slice(0, 40), atOnce, (key) => scene.remove(key));
    expect([scene.calls('head'), scene.calls('remove'), scene.calls('list')]).toEqual([40, 40, 1]);
    release(undefined);
    await scene.manifest.settler.idle();
    // It shows what was there when it was made.
    scene.seen = [];
    await scene.remove(KEYS[40] ?? '');
    expect(scene.seen.map(({ method }) => method)).toEqual(['remove']);
  });

  test('heads with much metadata: no more are remembered than there is room for', async () => {
    const scene = await Scene.open([]);
    for (const key of KEYS) await scene.put(key, 'x', { note: 'x'.repeat(2000) });
    await scene.removeInTurn(AHEAD);
    for (const [key, methods] of [
      [KEYS[30] ?? '', ['remove']],
      [KEYS[250] ?? '', ['head', 'remove']],
    ] as const) {
      scene.seen = [];
      await scene.remove(key);
      expect(scene.seen.map(({ method }) => method)).toEqual(methods);
    }
  });

  test('listings that are of no use become rare', async () => {
    const scene = await Scene.open();
    await scene.removeInTurn(KEYS.toReversed());
    expect(await scene.left()).toEqual([]);
    expect(scene.calls('list')).toBeLessThanOrEqual(6);
    expect(scene.calls('head')).toBe(KEYS.length);
  });
});

describe('the answer of a removal on a remembered head is lost', () => {
  /** The first removal of `NEXT` is made, or not, and not answered. */
  async function losing(isMade: boolean): Promise<Scene> {
    const scene = await Scene.open();
    await scene.removeInTurn(AHEAD);
    let isLost = false;
    scene.around = async ({ method, ref }, run) => {
      if (method !== 'remove' || ref.name !== NEXT || isLost) return run();
      isLost = true;
      if (isMade) await run().catch(() => undefined);
      throw new StoreError('unavailable', { call: 'remove', lost: true });
    };
    return scene;
  }

  test.each([true, false])('made: %s; the key ends removed', async (isMade) => {
    const scene = await losing(isMade);
    expect(await scene.remove(NEXT)).toEqual({ deleteMarker: false });
    expect(await scene.left()).not.toContain(NEXT);
  });

  test('what has been written since is not removed for it, and nobody is told that it was', async () => {
    const scene = await losing(true);
    await scene.put(NEXT, 'another');
    await expect(scene.remove(NEXT)).rejects.toMatchObject({ detail: { code: 'OutcomeUnknown' } });
    expect(await scene.left()).toContain(NEXT);
  });
});
