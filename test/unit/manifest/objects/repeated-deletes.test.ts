import { describe, expect, it } from 'vitest';
import { type FaultPlan, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';
import { codeOf } from '../upload-fixture.ts';

/** A key over a store whose calls fail when a test says so. */
class Scene {
  readonly memory = new MemoryBlobStore();
  plan: FaultPlan = () => undefined;
  #key: VersionedBucket | undefined;

  static async open(): Promise<Scene> {
    const scene = new Scene();
    const store = withFaults(scene.memory, (call) => scene.plan(call));
    scene.#key = await VersionedBucket.create({ store });
    return scene;
  }

  get key(): VersionedBucket {
    if (this.#key === undefined) throw new Error('not open');
    return this.#key;
  }

  /** The first DELETE commits, and does not come to remove the version's own blob. */
  async halfRemove(versionId: string): Promise<void> {
    this.plan = ({ method, ref }) =>
      method === 'remove' && ref.name?.endsWith(versionId) === true ? { kind: 'loseRequest' } : undefined;
    expect(await codeOf(this.key.remove(versionId))).toBe('unavailable');
    this.plan = () => undefined;
  }

  /** As a tool of the cloud does. */
  async removeHead(): Promise<void> {
    await this.memory.remove({ container: 'bucket', name: 'k' }, undefined, testCall());
  }

  async names(container: string, prefix = ''): Promise<string[]> {
    const { entries } = await this.memory.list(container, { prefix, limit: 100 }, testCall());
    return entries.map(({ name }) => name);
  }
}

describe('a DELETE by id that is repeated, after one that committed and left the blob', () => {
  it('removes the blob, and leaves the key as it is', async () => {
    const scene = await Scene.open();
    const { key } = scene;
    const [one, two] = [await key.put('one'), await key.put('two')];
    await scene.halfRemove(one);
    expect(await key.remove(one)).toEqual({ deleteMarker: false, versionId: one });
    expect([await key.text(one), await key.text(two), await key.text()]).toEqual(['NoSuchVersion', 'two', 'two']);
    expect(await scene.names('system', 'v/')).toHaveLength(1);
  });

  it('fails as long as the blob cannot be removed', async () => {
    const scene = await Scene.open();
    const one = await scene.key.put('one');
    await scene.key.put('two');
    await scene.halfRemove(one);
    await scene.halfRemove(one);
    await scene.key.remove(one);
    expect(await scene.key.text(one)).toBe('NoSuchVersion');
  });

  it('removes the void, too, when it was the last version', async () => {
    const scene = await Scene.open();
    const one = await scene.key.put('one');
    await scene.key.remove(await scene.key.put('two'));
    await scene.halfRemove(one);
    expect(await scene.names('bucket')).toEqual(['k']);
    await scene.key.remove(one);
    expect(await scene.key.text(one)).toBe('NoSuchVersion');
    expect([await scene.names('bucket'), await scene.names('system', 'v/')]).toEqual([[], []]);
  });
});

describe('a DELETE by id of a version that has survived its head', () => {
  it('removes that one; the others stay, and come back with the next PUT', async () => {
    const scene = await Scene.open();
    const { key } = scene;
    const [one, two] = [await key.put('one'), await key.put('two')];
    await key.put('three');
    await scene.removeHead();
    expect([await key.text(one), await key.text(two)]).toEqual(['one', 'two']);
    expect(await key.remove(two)).toEqual({ deleteMarker: false, versionId: two });
    expect([await key.text(one), await key.text(two), await key.text()]).toEqual(['one', 'NoSuchVersion', 'NoSuchKey']);
    expect(await scene.names('bucket')).toEqual([]);
    const four = await key.put('four');
    await key.remove(four);
    expect(await key.text()).toBe('one');
  });

  it('is finished by the next one, when it broke off', async () => {
    const scene = await Scene.open();
    const { key } = scene;
    const [one, two] = [await key.put('one'), await key.put('two')];
    await key.put('three');
    await scene.removeHead();
    await scene.halfRemove(two);
    await key.remove(two);
    expect([await key.text(one), await key.text(two)]).toEqual(['one', 'NoSuchVersion']);
    expect(await scene.names('bucket')).toEqual([]);
  });

  it('asks for permission', async () => {
    const scene = await Scene.open();
    const { key } = scene;
    const one = await key.put('one');
    await key.put('two');
    await scene.removeHead();
    const guard = (): void => {
      throw new S3Error('AccessDenied');
    };
    const target = { bucket: key.bucket, key: 'k', versionId: one };
    const removal = key.manifest.objects.remove(target, { conditions: {}, ownerId: OWNER, guard }, testCall());
    expect(await codeOf(removal)).toBe('AccessDenied');
    expect(await key.text(one)).toBe('one');
  });

  it('waits while such a version may be the current one', async () => {
    const scene = await Scene.open();
    const { key } = scene;
    const one = await key.put('one');
    await key.put('two');
    await scene.removeHead();
    const bucket = { ...key.bucket, versionedSince: Date.now() };
    const target = { bucket, key: 'k', versionId: one };
    const removal = key.manifest.objects.remove(target, { conditions: {}, ownerId: OWNER }, testCall());
    await expect(removal).rejects.toMatchObject({ detail: { code: 'VersioningJustEnabled' } });
    expect(await key.text(one)).toBe('one');
  });
});
