import { describe, expect, it } from 'vitest';
import { type FaultPlan, withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { openManifest } from '../../../src/main/manifest.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import type { ObjectAmendment } from '../../../src/manifest/versions/object-amendment.ts';
import type { Manifest } from '../../../src/manifest/manifest.ts';
import { SILENT } from '../../support/silent-log.ts';
import { putOf } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';
import { codeOf } from './upload-fixture.ts';

interface World {
  readonly memory: MemoryBlobStore;
  readonly manifest: Manifest;
  readonly bucket: Bucket;
  readonly versionId: string;
  plan: FaultPlan;
}

const KEY = 'k';

async function world(versioned: boolean): Promise<World> {
  const memory = new MemoryBlobStore();
  const state: { plan: FaultPlan } = { plan: () => undefined };
  const time = new TestTime();
  const store = withFaults(memory, (call) => state.plan(call));
  const backend = { name: 'test', store, systemContainer: 'system', ownerId: 'operator', time };
  const manifest = openManifest({
    realm: { backends: [backend], backendOf: () => backend },
    bucketCacheMs: 1000,
    versioningDrainMs: 0,
    log: SILENT,
    signal: new AbortController().signal,
    time,
  });
  const settings = versioned ? { objectLock: {} } : {};
  await manifest.buckets.create({ name: 'photos', ownerId: 'TENANT', settings }, testCall());
  const bucket = await manifest.buckets.get('photos', testCall());
  const { versionId } = await manifest.objects.put({ bucket, key: KEY }, putOf('text'), testCall());
  return Object.assign(state, { memory, manifest, bucket, versionId });
}

type Work = (world: World) => Promise<unknown>;

const REMOVAL = { conditions: {}, ownerId: 'TENANT' };
const AMENDMENT: ObjectAmendment = () => ({ tags: [{ key: 'a', value: 'b' }] });

const CALLS: readonly (readonly [string, Work])[] = [
  ['open', ({ manifest, bucket }) => manifest.objects.open({ bucket, key: KEY }, {}, testCall())],
  [
    'open the null version',
    ({ manifest, bucket }) => manifest.objects.open({ bucket, key: KEY, versionId: 'null' }, {}, testCall()),
  ],
  [
    'open a version',
    ({ manifest, bucket, versionId }) => manifest.objects.open({ bucket, key: KEY, versionId }, {}, testCall()),
  ],
  ['find', ({ manifest, bucket }) => manifest.objects.find({ bucket, key: KEY }, testCall())],
  ['amend', ({ manifest, bucket }) => manifest.objects.amend({ bucket, key: KEY }, AMENDMENT, testCall())],
  ['put', ({ manifest, bucket }) => manifest.objects.put({ bucket, key: KEY }, putOf('again'), testCall())],
  ['remove', ({ manifest, bucket }) => manifest.objects.remove({ bucket, key: KEY }, REMOVAL, testCall())],
  [
    'list',
    ({ manifest, bucket }) =>
      manifest.listing.objects(bucket, { prefix: '', delimiter: '', after: '', limit: 10 }, testCall()),
  ],
  [
    'view',
    async ({ manifest, bucket }) => {
      const view = await manifest.objects.find({ bucket, key: KEY }, testCall());
      return manifest.objects.openView(bucket, view, {}, testCall());
    },
  ],
];

/**
 * Runs the work over a store whose user container goes before its n-th call.
 * @returns what it answered, and how many calls came
 */
async function losing(
  work: Work,
  { versioned, at }: { versioned: boolean; at: number },
): Promise<{ code: string; calls: number }> {
  const w = await world(versioned);
  let calls = 0;
  w.plan = ({ method }) => {
    if (method === 'headContainer') return undefined;
    calls += 1;
    return calls === at
      ? { kind: 'interleave', before: () => w.memory.removeContainer(w.bucket.home.container, testCall()) }
      : undefined;
  };
  return { code: await codeOf(work(w)), calls };
}

describe('a bucket whose container goes while a request is on its way', () => {
  it.each(CALLS)('%s: does not exist, whichever call finds that out', async (_what, work) => {
    const { calls } = await losing(work, { versioned: false, at: 0 });
    expect(calls).toBeGreaterThan(0);
    for (let at = 1; at <= calls; at += 1) {
      expect([at, (await losing(work, { versioned: false, at })).code]).toEqual([at, 'NoSuchBucket']);
    }
  });

  it.each(CALLS)('%s of a versioned bucket: is served from what is left, or does not exist', async (_what, work) => {
    const { calls } = await losing(work, { versioned: true, at: 0 });
    for (let at = 1; at <= calls; at += 1) {
      const { code } = await losing(work, { versioned: true, at });
      expect(['ok', 'NoSuchBucket', 'NoSuchVersion', 'NoSuchKey']).toContain(code);
    }
  });

  it('a missing system container is no missing bucket', async () => {
    const w = await world(true);
    await w.memory.removeContainer('system', testCall());
    const { manifest, bucket, versionId } = w;
    expect(await codeOf(manifest.objects.open({ bucket, key: KEY, versionId }, {}, testCall()))).not.toBe(
      'NoSuchBucket',
    );
    expect(await codeOf(manifest.uploads.list(bucket, { prefix: '', limit: 10 }, testCall()))).toBe(
      'containerNotFound',
    );
  });
});
