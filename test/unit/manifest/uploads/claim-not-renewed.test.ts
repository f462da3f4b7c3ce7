import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../adapters/doubles/faults.ts';
import { stagingRef } from '../../../../src/manifest/records/upload-names.ts';
import { readClaim } from '../../../../src/manifest/versions/upload-claim.ts';
import { putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { TestTime } from '../../../support/test-time.ts';
import { UploadFixture, codeOf } from '../upload-fixture.ts';

const MINUTE = 60_000;
/** Of the writes of the claim behind the first, one after the other. */
type Faults = readonly Fault[];
const REQUEST: Fault = { kind: 'loseRequest' };
const ANSWER: Fault = { kind: 'loseAnswer' };

class Renewing {
  readonly fixture: UploadFixture;
  readonly started: Awaited<ReturnType<UploadFixture['started']>>;
  /** The places that the claim names whenever bytes are copied to one. */
  readonly placed: unknown[] = [];

  private constructor(fixture: UploadFixture, started: Renewing['started']) {
    this.fixture = fixture;
    this.started = started;
  }

  static async open(): Promise<Renewing> {
    const fixture = await UploadFixture.open({ settling: false, discarding: false });
    fixture.bucket = { ...fixture.bucket, versioning: 'enabled' };
    return new Renewing(fixture, await fixture.started('k', 'parts'));
  }

  /** A version comes on condition, so that the upload's has to stand above it. */
  async mustMove(): Promise<void> {
    const conditional = putOf('conditional', { conditions: { ifNoneMatch: '*' } });
    await this.fixture.objects.put({ bucket: this.fixture.bucket, key: 'k' }, conditional, testCall());
  }

  fail(faults: Faults): void {
    const { name } = stagingRef(this.started.target);
    const left = [...faults];
    this.fixture.plan = ({ method, ref }) => {
      if (method === 'setMetadata' && ref.name === name) return left.shift();
      return method === 'copy'
        ? { kind: 'interleave', before: async () => this.placed.push(await this.places()) }
        : undefined;
    };
  }

  async places(): Promise<unknown> {
    const stored = await readClaim(this.started.target, testCall());
    return stored?.claim.kind === 'abort' ? undefined : stored?.claim.places;
  }

  /** Writes of the claim that were sent. */
  get writes(): number {
    const { name } = stagingRef(this.started.target);
    return this.fixture.calls.filter(({ method, ref }) => method === 'setMetadata' && ref.name === name).length;
  }
}

describe('a Complete that moves its version says so in the claim first', () => {
  it.each<[Faults, number]>([
    [[], 1],
    [[REQUEST], 2],
    [[ANSWER], 1],
    [[REQUEST, ANSWER], 2],
  ])('%j: the claim names the place before anything lies there', async (faults, writes) => {
    const at = await Renewing.open();
    await at.mustMove();
    at.fail(faults);
    const { versionId } = await at.fixture.complete(at.started.target, at.started.parts);
    expect([at.placed, at.writes]).toEqual([[[versionId]], writes]);
    const current = await at.fixture.objects.find({ bucket: at.fixture.bucket, key: 'k' }, testCall());
    expect(current.versionId).toBe(versionId);
  });

  it('or gives up, and is repeated', async () => {
    const at = await Renewing.open();
    await at.mustMove();
    at.fail([REQUEST, REQUEST]);
    expect(await codeOf(at.fixture.complete(at.started.target, at.started.parts))).toBe('throttled');
    expect([at.placed, await at.places()]).toEqual([[], undefined]);
    at.fail([]);
    expect(await codeOf(at.fixture.complete(at.started.target, at.started.parts))).toBe('ok');
    expect(await at.fixture.text('k')).toBe('parts');
  });
});

describe('a claim that has grown old is renewed before the head is written', () => {
  it.each<[Faults, string, number]>([
    [[], 'ok', 1],
    [[REQUEST], 'ok', 2],
    [[ANSWER], 'ok', 1],
    // The third says that this Complete publishes nothing any more.
    [[REQUEST, REQUEST], 'throttled', 3],
  ])('%j: %s', async (faults, outcome, writes) => {
    const at = await Renewing.open();
    const time = new TestTime();
    const { fixture, started } = at;
    fixture.bucket = { ...fixture.bucket, home: { ...fixture.bucket.home, time } };
    const target = { ...started.target, bucket: fixture.bucket };
    at.fail(faults);
    const before: number[] = [];
    const beforePublication = async (): Promise<void> => {
      before.push(at.writes);
      time.advance(6 * MINUTE);
    };
    expect(await codeOf(fixture.complete(target, started.parts, { beforePublication }))).toBe(outcome);
    expect([before, at.writes]).toEqual([[0], writes]);
  });
});
