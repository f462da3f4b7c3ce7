import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { S3Error, isS3Error } from '../../../../src/errors/s3-error.ts';
import { hasContent } from '../../../../src/manifest/listing/listing.ts';
import { readHead } from '../../../../src/manifest/heads/object-read.ts';
import { settle } from '../../../../src/manifest/versions/settle.ts';
import { redo } from '../../../../src/manifest/versions/displace.ts';
import { isLocked } from '../../../../src/manifest/versions/remove-blob.ts';
import { recordIn } from '../../../../src/manifest/records/metadata.ts';
import { exportPlain } from '../../../../src/manifest/sweep/export-plain.ts';
import { type ObjectLock, isKept } from '../../../../src/protocol/object-lock.ts';
import { ABSENT } from '../../../../src/store/blob-store.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { SweepFixture, findings } from './sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DAY = 24;
const DAY_MS = 86_400_000;

/** Until some days from now; `over` ends before any sweeper comes. */
const LOCKS: Readonly<Record<string, (now: number) => ObjectLock | undefined>> = {
  none: () => undefined,
  governance: (now) => ({ retention: { mode: 'GOVERNANCE', until: now + 400 * DAY_MS } }),
  compliance: (now) => ({ retention: { mode: 'COMPLIANCE', until: now + 400 * DAY_MS } }),
  hold: () => ({ legalHold: true }),
  over: (now) => ({ retention: { mode: 'COMPLIANCE', until: now + 1000 } }),
};

/**
 * What becomes of the key after its version was locked. `native...` is done by a tool of the cloud, past the gateway.
 */
const STATES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  live: async () => undefined,
  displaced: (scene) => scene.world.put('newer'),
  marker: (scene) => scene.world.remove(),
  nativelyOverwritten: (scene) => scene.overwriteNatively(),
  nativelyGone: (scene) => scene.removeNatively(),
  displacedAndGone: async (scene) => {
    await scene.world.put('newer');
    await scene.removeNatively();
  },
  overwrittenAndPut: async (scene) => {
    await scene.overwriteNatively();
    await scene.world.put('newer');
  },
  tombAndGone: async (scene) => {
    await scene.world.remove();
    await scene.removeNatively();
  },
  /** What was put above it is deleted by its id, which leaves a void where nothing else is. */
  voidAbove: async (scene) => {
    await scene.removeNatively();
    const id = await scene.world.put('newer');
    await scene.world.remove(id);
  },
};

/** Everything that removes blobs of versions, or lets them go. */
const REMOVERS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  sweep: (scene) => scene.world.sweep(),
  sweepWithoutPatience: (scene) => scene.world.sweep({ keepLostMs: 0, tombstoneMs: 0, settleAfterMs: 0 }),
  deleteById: (scene) => scene.deleteById(false),
  deleteByIdWithBypass: (scene) => scene.deleteById(true),
  exportWithoutMarkers: (scene) => scene.exportPlain(),
  settle: (scene) => settle({ bucket: scene.world.bucket, key: 'k' }, testCall()),
  redo: async (scene) =>
    redo(
      { bucket: scene.world.bucket, key: 'k' },
      await readHead({ bucket: scene.world.bucket, key: 'k' }, testCall()),
      testCall(),
    ),
  put: (scene) => scene.world.put('newest'),
  remove: (scene) => scene.world.remove(),
  loseBucketRecord: (scene) => scene.loseBucketRecord(),
};

class Scene {
  readonly world: SweepFixture;
  versionId = '';

  constructor(world: SweepFixture) {
    this.world = world;
  }

  static async open(kind: 'version' | 'null', lock: ObjectLock | undefined): Promise<Scene> {
    const scene = new Scene(await SweepFixture.open());
    const { world } = scene;
    if (kind === 'null') await world.put('locked');
    await world.version('enabled');
    if (kind === 'null') await world.put('above');
    scene.versionId = kind === 'null' ? 'null' : await world.put('locked');
    const target = { bucket: world.bucket, key: 'k', versionId: scene.versionId };
    if (lock !== undefined) await world.gateway.objects.amend(target, () => ({ lock }), testCall());
    return scene;
  }

  async deleteById(bypass: boolean): Promise<void> {
    const guard = ({ lock = {} }: { lock?: ObjectLock }): void => {
      if (isKept(lock, { now: Date.now(), bypass })) throw new S3Error('AccessDenied');
    };
    const target = { bucket: this.world.bucket, key: 'k', versionId: this.versionId };
    await this.world.gateway.objects
      .remove(target, { conditions: {}, ownerId: OWNER, guard }, testCall())
      .catch((error: unknown) => {
        if (!isS3Error(error, 'AccessDenied')) throw error;
      });
  }

  async exportPlain(): Promise<void> {
    const realm = this.world.realm();
    await exportPlain(
      { realm, backends: realm.backends, settings: { prefix: '', dropMarkers: true, dryRun: false, concurrency: 2 } },
      testCall(),
    );
  }

  async overwriteNatively(): Promise<void> {
    await this.world.gateway.memory.write(
      { container: this.world.bucket.home.container, name: 'k' },
      Buffer.from('tool'),
      { metadata: {} },
      testCall(),
    );
  }

  async removeNatively(): Promise<void> {
    await this.world.gateway.memory
      .remove({ container: this.world.bucket.home.container, name: 'k' }, undefined, testCall())
      .catch((error: unknown) => {
        if (!isStoreError(error, 'notFound')) throw error;
      });
  }

  /** Then nobody knows whose versions they are. */
  async loseBucketRecord(): Promise<void> {
    const { memory } = this.world.gateway;
    const ref = { container: 'system', name: 'b/bucket' };
    const { properties, body } = await memory.read(ref, {}, testCall());
    const bytes = Buffer.concat(await body.stream().toArray());
    await memory.remove(ref, undefined, testCall());
    this.world.advance(2 * DAY);
    await this.world.sweep();
    await memory.write(ref, bytes, { metadata: properties.metadata, condition: ABSENT }, testCall());
  }

  /** Names of all blobs of versions that a lock holds now. */
  async locked(mode?: 'GOVERNANCE'): Promise<string[]> {
    const { entries } = await this.world.gateway.memory.list('system', { prefix: 'v/', limit: 1000 }, testCall());
    const held = entries.filter((entry) => {
      const record = entry.kind === 'blob' ? recordIn(entry.metadata) : undefined;
      return (
        isLocked(record, Date.now()) &&
        (mode === undefined || (record?.lock?.retention?.mode === mode && record.lock.legalHold !== true))
      );
    });
    return held.map(({ name }) => name);
  }
}

describe('what object lock holds', () => {
  const plan = fc.record({
    kind: fc.constantFrom('version' as const, 'null' as const),
    lock: fc.constantFrom(...Object.keys(LOCKS)),
    state: fc.constantFrom(...Object.keys(STATES)),
    removers: fc.array(
      fc.record({ remover: fc.constantFrom(...Object.keys(REMOVERS)), days: fc.constantFrom(0, 2, 10, 40) }),
      { minLength: 1, maxLength: 5 },
    ),
  });

  it('no remover takes away, whatever has become of its head', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ kind, lock, state, removers }) => {
        const world = await Scene.open(kind, LOCKS[lock]?.(Date.now()));
        await STATES[state]?.(world);
        for (const { remover, days } of removers) {
          world.world.advance(days * DAY);
          const free = remover === 'deleteByIdWithBypass' ? await world.locked('GOVERNANCE') : [];
          const before = (await world.locked()).filter((name) => !free.includes(name));
          await REMOVERS[remover]?.(world);
          await world.world.gateway.idle();
          expect(await world.world.names('v/'), remover).toEqual(expect.arrayContaining(before));
          if (before.length > 0) {
            expect(await hasContent(world.world.bucket, testCall()), `${remover}: content`).toBe(true);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('is told of, and made part of its key’s history when asked for; without a lock it goes', async () => {
    for (const [lock, kept] of [
      ['compliance', true],
      ['hold', true],
      ['governance', true],
      ['over', false],
      ['none', false],
    ] as const) {
      const scene = await Scene.open('version', LOCKS[lock]?.(Date.now()));
      const { world, versionId } = scene;
      await scene.overwriteNatively();
      world.advance(2 * DAY);
      expect(findings(await world.sweep()), lock).toEqual(kept ? { locked: 1 } : { lost: 1 });
      world.advance(9 * DAY);
      expect(findings(await world.sweep()), lock).toEqual(kept ? { locked: 1 } : { versions: 1 });
      if (kept) {
        expect((await world.sweep()).backends[0]?.buckets[0]?.lost).toMatchObject([
          { key: 'k', versionId, locked: true },
        ]);
      }
      if (kept) expect(findings(await world.sweep({ recoverLost: true, bucket: 'bucket' }))).toEqual({ recovered: 1 });
      expect([await world.text(versionId), await world.text()]).toEqual([kept ? 'locked' : 'NoSuchVersion', 'tool']);
    }
  });

  it('goes when its deletion was committed by somebody who might get round it, and the remover comes late', async () => {
    const scene = await Scene.open('version', LOCKS['governance']?.(Date.now()));
    const { world } = scene;
    world.gateway.plan = ({ method, ref }) =>
      method === 'remove' && ref.name?.startsWith('v/') === true ? { kind: 'fail' } : undefined;
    await scene.deleteById(true).catch(() => undefined);
    world.gateway.plan = () => undefined;
    expect(await world.names('v/')).toHaveLength(1);
    world.advance(1);
    await world.sweep();
    expect(await world.names('v/')).toEqual([]);
  });
});
