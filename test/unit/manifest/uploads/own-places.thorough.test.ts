import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createObjects } from '../../../../src/manifest/objects/objects.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import type * as tokens from '../../../../src/manifest/records/version-token.ts';
import type { VersionToken } from '../../../../src/manifest/records/version-token.ts';
import { type Uploads, createUploads } from '../../../../src/manifest/uploads/uploads.ts';
import type { ListedPart } from '../../../../src/manifest/uploads/upload-plan.ts';
import type { UploadTarget } from '../../../../src/manifest/uploads/upload-find.ts';
import { testCall } from '../../../support/test-call.ts';
import { MIN_PART, OWNER, UploadFixture, codeOf } from '../upload-fixture.ts';

/*
 * Two attempts to complete one upload, on two replicas. Both have to move its version above an object that came under a
 * condition, from a replica whose clock is ahead of theirs: so both take the same seq.
 */

/** While it is there, all attempts that need a place of the same seq get the same one. */
const planted = vi.hoisted(() => ({ bySeq: undefined as Map<number, VersionToken> | undefined }));

vi.mock('../../../../src/manifest/records/version-token.ts', async (original) => {
  const real = await original<typeof tokens>();
  const newUploadToken = (seq: number): VersionToken => {
    const token = planted.bySeq?.get(seq) ?? real.newUploadToken(seq);
    planted.bySeq?.set(seq, token);
    return token;
  };
  return { ...real, newUploadToken };
});

const AHEAD_MS = 60_000;
const TEXT = 'the parts';
/** What an attempt may be told: the other one has the claim, so its client comes again. */
const OUTCOMES = ['ok', 'throttled', 'unavailable'];

class Scene {
  readonly fixture: UploadFixture;
  readonly target: UploadTarget;
  readonly parts: readonly ListedPart[];
  readonly #replicas: readonly [Uploads, Uploads];

  private constructor(fixture: UploadFixture, target: UploadTarget, parts: readonly ListedPart[]) {
    this.fixture = fixture;
    this.target = target;
    this.parts = parts;
    this.#replicas = [this.#replica(), this.#replica()];
  }

  static async open(): Promise<Scene> {
    const fixture = await UploadFixture.open({ settling: false });
    fixture.bucket = { ...fixture.bucket, versioning: 'enabled' };
    await fixture.put('k', 'old');
    const { target, parts } = await fixture.started('k', TEXT);
    const scene = new Scene(fixture, target, parts);
    await scene.#overtake();
    return scene;
  }

  /** An object under a condition, from a replica that is ahead. */
  async #overtake(): Promise<void> {
    const { bucket, settler } = this.fixture;
    const objects = createObjects({ clock: createClock(() => Date.now() + AHEAD_MS), settler });
    const { etag } = (await objects.open({ bucket, key: 'k' }, {}, testCall())).view;
    const attributes = { headers: {}, userMetadata: {} };
    const conditions = { ifMatch: `"${etag}"` };
    await objects.put(
      { bucket, key: 'k' },
      { body: Buffer.from('new'), attributes, ownerId: OWNER, conditions },
      testCall(),
    );
  }

  #replica(): Uploads {
    const { settler } = this.fixture;
    const clock = createClock();
    return createUploads({ clock, settler, objects: createObjects({ clock, settler }), minPartSize: MIN_PART });
  }

  complete(at: 0 | 1): Promise<string> {
    const request = {
      parts: this.parts,
      expected: {},
      conditions: {},
      beforeAssembly: () => undefined,
      beforePublication: async () => undefined,
    };
    return codeOf(this.#replicas[at].complete(this.target, request, testCall()));
  }
}

/** At its n-th call, the first attempt is interrupted by the second, which stands at its m-th until the first ended. */
interface Meeting {
  readonly n: number;
  readonly m: number;
}

/** Where the attempts came to. */
interface Course {
  readonly reachedN: boolean;
  readonly reachedM: boolean;
}

async function meet({ n, m }: Meeting): Promise<Course> {
  const scene = await Scene.open();
  const { fixture } = scene;
  const firstEnded = Promise.withResolvers<unknown>();
  const standing = Promise.withResolvers<unknown>();
  let [counted, reachedN, reachedM] = [0, false, false];
  let second: Promise<string> | undefined;
  const standStill = async (): Promise<void> => {
    reachedM = true;
    fixture.plan = () => undefined;
    standing.resolve(undefined);
    await firstEnded.promise;
  };
  const begin = async (): Promise<void> => {
    reachedN = true;
    fixture.plan = () => undefined;
    // What the first sends beside this call is sent by then.
    await nextTurn();
    counted = 0;
    fixture.plan = () => (++counted === m ? { kind: 'interleave', before: standStill } : undefined);
    second = scene.complete(1);
    await Promise.race([second, standing.promise]);
    fixture.plan = () => undefined;
  };
  fixture.plan = () => (++counted === n ? { kind: 'interleave', before: begin } : undefined);
  const outcomes = [await scene.complete(0)];
  // What the first leaves to the background is done before the second goes on.
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  firstEnded.resolve(undefined);
  if (second !== undefined) outcomes.push(await second);
  fixture.plan = () => undefined;
  await fixture.idle();
  await expectOne(scene, outcomes);
  return { reachedN, reachedM };
}

/** The upload is the object now, or becomes it when its Complete is sent again; and stays. */
async function expectOne(scene: Scene, outcomes: readonly string[]): Promise<void> {
  for (const outcome of outcomes) expect(OUTCOMES).toContain(outcome);
  if (!outcomes.includes('ok')) expect(await scene.complete(0)).toBe('ok');
  await scene.fixture.idle();
  expect(await scene.fixture.text('k')).toBe(TEXT);
  expect(await scene.complete(1)).toBe('ok');
  await scene.fixture.idle();
  expect(await scene.fixture.text('k')).toBe(TEXT);
}

async function meetEverywhere(): Promise<number> {
  let meetings = 0;
  for (let n = 1, reachedN = true; reachedN; n++) {
    for (let m = 1, reachedM = true; reachedM; m++) {
      ({ reachedN, reachedM } = await meet({ n, m }));
      if (reachedM) meetings += 1;
    }
  }
  return meetings;
}

describe('two attempts to complete one upload whose version needs another place', () => {
  it('leave what one of them has published, however they meet', async () => {
    expect(await meetEverywhere()).toBeGreaterThan(100);
  }, 60_000);

  it('would take it away from each other if their places were the same', async () => {
    planted.bySeq = new Map();
    await expect(meetEverywhere()).rejects.toThrow('ObjectKeepsChanging');
    planted.bySeq = undefined;
  }, 60_000);
});
