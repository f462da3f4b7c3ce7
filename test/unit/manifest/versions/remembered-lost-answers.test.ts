import { describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { RING_LENGTH } from '../../../../src/manifest/heads/head-commit.ts';
import { createObjects, type Objects } from '../../../../src/manifest/objects/objects.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { TOKEN_LENGTH } from '../../../../src/manifest/records/version-token.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { wrapStore } from '../../../../src/store/wrap-store.ts';
import { OWNER, putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

/** A process that remembers a head, and another one that goes on writing the key. */
class Scene {
  readonly store: BlobStore = new MemoryBlobStore();
  /** Asked at each write of the head of this process; the answer is lost when it says so. */
  onSwap: (run: () => Promise<unknown>) => Promise<'answered' | 'lost'> = async () => 'answered';
  #key: VersionedBucket | undefined;
  #other: Objects | undefined;

  static async open(): Promise<Scene> {
    const scene = new Scene();
    const store = wrapStore(scene.store, async ({ method, ref }, run) => {
      if (method !== 'write' || ref.container !== 'bucket') return run();
      let answer: ReturnType<typeof run> | undefined;
      const outcome = await scene.onSwap(() => (answer = run()));
      if (outcome === 'lost') throw new StoreError('unavailable', { call: 'write', lost: true });
      return answer ?? run();
    });
    scene.#key = await VersionedBucket.create({ store });
    scene.#other = createObjects({ clock: createClock(), settler: scene.key.manifest.settler });
    await scene.key.put('remembered');
    return scene;
  }

  get key(): VersionedBucket {
    if (this.#key === undefined) throw new Error('not open');
    return this.#key;
  }

  /** The bucket as the other process sees it: nothing of it gets lost. */
  get #others(): VersionedBucket['bucket'] {
    return { ...this.key.bucket, home: { ...this.key.bucket.home, store: this.store } };
  }

  async othersPut(times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      await this.#other?.put({ bucket: this.#others, key: 'k' }, putOf(`other ${n}`), testCall());
    }
  }

  async othersRemove(versionId: string): Promise<void> {
    const target = { bucket: this.#others, key: 'k', versionId };
    await this.#other?.remove(target, { conditions: {}, ownerId: OWNER }, testCall());
  }

  /** The next swap of this process is made, or not; its answer is lost, and then something happens. */
  loseOne(isMade: boolean, then: () => Promise<unknown> = async () => undefined): void {
    let isLost = false;
    this.onSwap = async (run) => {
      if (isLost) return 'answered';
      isLost = true;
      if (isMade) await run().catch(() => undefined);
      await then();
      return 'lost';
    };
  }

  /** Ids of all versions that have a blob, those that nobody can see included. */
  async blobs(): Promise<string[]> {
    const { entries } = await this.store.list('system', { prefix: 'v/', limit: 1000 }, testCall());
    return entries.map(({ name }) => name.slice(-TOKEN_LENGTH));
  }

  /** What can be read by id: texts, and the error that a delete marker is. */
  async history(): Promise<string[]> {
    const texts: string[] = [];
    for (const versionId of await this.blobs()) texts.push(await this.key.text(versionId));
    return texts.filter((text) => text !== 'NoSuchVersion');
  }
}

const LONG = RING_LENGTH + 2;

describe('the answer of a swap is lost, and the head was remembered', () => {
  test.each([
    [1, true],
    [1, false],
    [RING_LENGTH - 1, true],
    [RING_LENGTH - 1, false],
    [LONG, true],
    [LONG, false],
  ])('%i writes of others before it; sent: %s; the version is there, once', async (before, isSent) => {
    const scene = await Scene.open();
    await scene.othersPut(before);
    scene.loseOne(isSent);
    const versionId = await scene.key.put('mine');
    expect(await scene.key.text(versionId)).toBe('mine');
    expect(await scene.key.text()).toBe('mine');
    const history = await scene.history();
    expect(history).toHaveLength(1 + before + 1);
    expect(history.filter((text) => text === 'mine')).toHaveLength(1);
  });

  test('a delete marker: there, once', async () => {
    const scene = await Scene.open();
    await scene.othersPut(LONG);
    scene.loseOne(true);
    await scene.key.remove();
    expect(await scene.key.text()).toBe('NoSuchKey');
    const history = await scene.history();
    expect(history).toHaveLength(1 + LONG + 1);
    expect(history.filter((text) => text === 'MethodNotAllowed')).toHaveLength(1);
  });

  test.each([1, LONG])('it was made, and %i writes of others are above it: it stays where it is', async (after) => {
    const scene = await Scene.open();
    scene.loseOne(true, () => scene.othersPut(after));
    const versionId = await scene.key.put('mine');
    expect(await scene.key.text(versionId)).toBe('mine');
    expect(await scene.key.text()).toBe(`other ${after - 1}`);
    expect(await scene.history()).toHaveLength(1 + 1 + after);
  });

  test('it was made, and the version deleted for good, and much was written since: nobody knows', async () => {
    const scene = await Scene.open();
    const before = new Set(await scene.blobs());
    scene.loseOne(true, async () => {
      const [mine = ''] = (await scene.blobs()).filter((name) => !before.has(name));
      await scene.othersRemove(mine);
      await scene.othersPut(LONG);
    });
    await expect(scene.key.put('mine')).rejects.toMatchObject({ detail: { code: 'OutcomeUnknown' } });
  });

  test('the look at what came of it fails: nobody knows, and nothing is removed', async () => {
    const scene = await Scene.open();
    await scene.othersPut(LONG);
    const { store } = scene.key.bucket.home;
    scene.loseOne(true, async () => {
      const head = store.head.bind(store);
      (store as { head: BlobStore['head'] }).head = async (ref) => {
        (store as { head: BlobStore['head'] }).head = head;
        throw new StoreError('unavailable', { call: 'head', code: ref.name });
      };
    });
    await expect(scene.key.put('mine')).rejects.toMatchObject({ detail: { code: 'OutcomeUnknown' } });
    await scene.key.manifest.settler.idle();
    expect(await scene.blobs()).toHaveLength(1 + LONG + 1);
  });
});
