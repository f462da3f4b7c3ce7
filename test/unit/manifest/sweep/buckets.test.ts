import { afterEach, describe, expect, it, vi } from 'vitest';
import { encodeBucketRecord } from '../../../../src/manifest/records/bucket-record.ts';
import { createBucketStore } from '../../../../src/manifest/buckets/bucket-store.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { SweepFixture, findings, problemsOf } from './sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const BASE = {
  uid: 'uid-x',
  owner: OWNER,
  createdAt: 1,
  container: 'box',
  versioning: 'never',
  settings: {},
  owned: true,
} as const;

async function withRecord(
  state: Parameters<typeof encodeBucketRecord>[0]['state'],
  owner = 'uid-x',
): Promise<SweepFixture> {
  const world = await SweepFixture.open();
  const { body, metadata } = encodeBucketRecord({ ...BASE, ...(state && { state }) });
  await world.gateway.memory.createContainer('box', { owner }, testCall());
  await world.gateway.memory.write({ container: 'system', name: 'b/box' }, body, { metadata }, testCall());
  return world;
}

async function stateOf(world: SweepFixture): Promise<unknown> {
  const stored = await createBucketStore(world.realm()).find('box', testCall());
  return stored === undefined ? 'none' : stored.record.state;
}

function hasContainer(world: SweepFixture): Promise<boolean> {
  return world.gateway.memory.headContainer('box', testCall()).then(
    () => true,
    () => false,
  );
}

describe('buckets that were half made or half deleted', () => {
  it('a claim goes past the grace, with its container, and its name is free a day after that', async () => {
    const world = await withRecord({ kind: 'claimed' });
    world.advance(23);
    expect(findings(await world.sweep())).toEqual({});
    world.advance(2);
    expect(findings(await world.sweep())).toEqual({ buckets: 1 });
    expect(await stateOf(world)).toMatchObject({ kind: 'deleted' });
    world.advance(1);
    expect(findings(await world.sweep())).toEqual({ buckets: 1 });
    expect([await stateOf(world), await hasContainer(world)]).toEqual([
      expect.objectContaining({ kind: 'deleted', isGone: true }),
      false,
    ]);
    world.advance(23);
    expect(findings(await world.sweep())).toEqual({});
    world.advance(2);
    expect(findings(await world.sweep())).toEqual({ buckets: 1 });
    expect(await stateOf(world)).toBe('none');
    const again = await world.gateway.addBucket('box');
    expect(again.home.container).toBe('box');
  });

  it('a mark whose DeleteBucket died goes, and the bucket lives', async () => {
    const world = await withRecord({ kind: 'deleting', id: 'dead' });
    expect(findings(await world.sweep())).toEqual({});
    world.advance(1);
    expect(findings(await world.sweep())).toEqual({ buckets: 1 });
    expect([await stateOf(world), await hasContainer(world)]).toEqual([undefined, true]);
  });

  it('a container that has been filled since its bucket was deleted is left, and named', async () => {
    const world = await withRecord({ kind: 'deleted', id: 'd' });
    await world.gateway.memory.write(
      { container: 'box', name: 'native' },
      Buffer.from('native'),
      { metadata: {} },
      testCall(),
    );
    world.advance(1);
    expect(problemsOf(await world.sweep())).toEqual([
      expect.stringMatching(/container box of this deleted bucket holds blobs/),
    ]);
    expect(await hasContainer(world)).toBe(true);
  });

  it('a container that somebody else has made there since is not touched', async () => {
    for (const owner of ['uid-of-another', undefined]) {
      const world = await withRecord({ kind: 'deleted', id: 'd' });
      world.advance(1);
      await world.gateway.memory.removeContainer('box', testCall());
      await world.gateway.memory.createContainer('box', owner === undefined ? {} : { owner }, testCall());
      expect(findings(await world.sweep())).toEqual({ buckets: 1 });
      expect([await stateOf(world), await hasContainer(world)]).toEqual([
        expect.objectContaining({ isGone: true }),
        true,
      ]);
    }
  });

  it('a bucket that was deleted does not come back, and its name is free a day after the sweep', async () => {
    const world = await SweepFixture.open();
    const bucket = await world.gateway.addBucket('again');
    await world.gateway.buckets.delete(bucket, (call) => createListing().isEmpty(bucket, call), testCall());
    const second = await world.gateway.addBucket('again');
    expect(second.home.container).toMatch(/^again-gw/);
    await world.gateway.buckets.delete(second, (call) => createListing().isEmpty(second, call), testCall());
    for (let day = 0; day < 2; day += 1) {
      world.advance(25);
      await world.sweep();
    }
    expect((await world.gateway.addBucket('again')).home.container).toBe('again');
  });

  it("what lies in a container that is another's says nothing of this bucket's keys", async () => {
    const world = await withRecord(undefined, 'uid-of-another');
    await world.gateway.memory.write(
      { container: 'system', name: 'v/uid-x/k!!00000000000001aaaaaaaaaaaa' },
      Buffer.from('x'),
      { metadata: {} },
      testCall(),
    );
    world.advance(25 * 24);
    expect(problemsOf(await world.sweep())).toEqual([
      expect.stringMatching(/its container box cannot be told to be its own/),
    ]);
    expect(await world.names('v/uid-x/')).toHaveLength(1);
  });
});
