import { describe, expect, it } from 'vitest';
import { S3Error, isS3Error } from '../../../../src/errors/s3-error.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { isKept } from '../../../../src/protocol/object-lock.ts';
import { testCall } from '../../../support/test-call.ts';
import { type Course, type Point, everywhere, interleave } from '../interleave.ts';
import { OWNER, UploadFixture } from '../upload-fixture.ts';

const KEY = 'k';
/** Points of a deletion, or of a lock, at which something else can come in between, on each side. */
const LEAST = 1;

class Scene {
  readonly fixture: UploadFixture;
  readonly bucket: Bucket;
  versionId = '';

  constructor(fixture: UploadFixture) {
    this.fixture = fixture;
    this.bucket = { ...fixture.bucket, versioning: 'enabled' };
  }

  async put(versioning: Bucket['versioning'] = 'enabled'): Promise<string> {
    const request = {
      body: Buffer.from('text'),
      attributes: { headers: {}, userMetadata: {} },
      ownerId: OWNER,
      conditions: {},
    };
    return (await this.fixture.objects.put({ bucket: { ...this.bucket, versioning }, key: KEY }, request, testCall()))
      .versionId;
  }

  /** @returns whether the hold was acknowledged */
  hold(): Promise<boolean> {
    const target = { bucket: this.bucket, key: KEY, versionId: this.versionId };
    return done(
      this.fixture.objects.amend(target, () => ({ lock: { legalHold: true } }), testCall()),
      'NoSuchVersion',
    );
  }

  /** @returns whether the deletion was acknowledged */
  remove(): Promise<boolean> {
    const guard = ({ lock = {} }): void => {
      if (isKept(lock, { now: Date.now(), bypass: false })) throw new S3Error('AccessDenied');
    };
    const target = { bucket: this.bucket, key: KEY, versionId: this.versionId };
    return done(
      this.fixture.objects.remove(target, { conditions: {}, ownerId: OWNER, guard }, testCall()),
      'AccessDenied',
    );
  }

  async verify(held: boolean, removed: boolean, at: Point): Promise<void> {
    const target = { bucket: this.bucket, key: KEY, versionId: this.versionId };
    const isThere = await done(this.fixture.objects.find(target, testCall()), 'NoSuchVersion');
    expect({ held, removed, isThere }, JSON.stringify(at)).toEqual(
      held ? { held, removed: false, isThere: true } : { held, removed: true, isThere: false },
    );
  }
}

/** False when it was refused so; anything else is a fault. */
async function done(work: Promise<unknown>, code: 'AccessDenied' | 'NoSuchVersion'): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (isS3Error(error, code)) return false;
    throw error;
  }
}

/** Where the version is that is locked and deleted. */
const PLACES: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  current: (scene) => scene.put(),
  'not current': async (scene) => {
    const versionId = await scene.put();
    await scene.put();
    return versionId;
  },
  'the null version, current': (scene) => scene.put('never'),
  'the null version, not current': async (scene) => {
    await scene.put('never');
    await scene.put();
    return 'null';
  },
  'below a marker': async (scene) => {
    const versionId = await scene.put();
    await scene.fixture.objects.remove(
      { bucket: scene.bucket, key: KEY },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    return versionId;
  },
};

describe.each(Object.entries(PLACES))('a version that is %s', (_name, make) => {
  async function open(): Promise<Scene> {
    const scene = new Scene(await UploadFixture.open());
    scene.versionId = await make(scene);
    await scene.fixture.idle();
    return scene;
  }

  async function run(at: Point, first: 'hold' | 'remove'): Promise<Course> {
    const scene = await open();
    const outcome = { hold: false, remove: false };
    const act = (what: 'hold' | 'remove') => async (): Promise<void> => {
      outcome[what] = await scene[what]();
    };
    const course = await interleave(scene.fixture, at, act(first), act(first === 'hold' ? 'remove' : 'hold'));
    if (course.met) await scene.verify(outcome.hold, outcome.remove, at);
    return course;
  }

  it('is held during its deletion, or deleted, never both', () => everywhere(LEAST, (at) => run(at, 'remove')));

  it('is deleted while it is held, or held, never both', () => everywhere(LEAST, (at) => run(at, 'hold')));
});

describe('a hold on, or off, whichever version is current', () => {
  it.each([true, false])(
    'goes to the next one when that one is deleted meanwhile, and never finds none: %s',
    (legalHold) =>
      everywhere(LEAST, async (at) => {
        const scene = new Scene(await UploadFixture.open());
        await scene.put();
        scene.versionId = await scene.put();
        await scene.fixture.idle();
        const current = { bucket: scene.bucket, key: KEY };
        let taken = '';
        const hold = async (): Promise<void> => {
          taken = (await scene.fixture.objects.amend(current, () => ({ lock: { legalHold } }), testCall())).versionId;
        };
        let removed = false;
        const course = await interleave(scene.fixture, at, hold, async () => {
          removed = await scene.remove();
        });
        const { lock, versionId } = await scene.fixture.objects.find(current, testCall());
        expect(versionId === scene.versionId, JSON.stringify(at)).toBe(!removed);
        // What is taken off a version may be followed by its deletion, what is put on it may not.
        if (taken === versionId || legalHold) {
          expect({ versionId, held: lock?.legalHold }).toEqual({ versionId: taken, held: legalHold });
        }
        return course;
      }),
  );
});
