import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usageList } from '../../../src/admin/usage/usage-list.ts';
import type { BucketUsage } from '../../../src/admin/usage/contract.ts';
import { createRealm } from '../../../src/main/bucket-rules.ts';
import { openManifest } from '../../../src/main/manifest.ts';
import { usageSource } from '../../../src/main/usage.ts';
import { createAccountDirectory } from '../../../src/access/directory.ts';
import { countUsage, type UsageReport } from '../../../src/manifest/usage/count-usage.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { SILENT } from '../../support/silent-log.ts';
import { testCall } from '../../support/test-call.ts';
import { sideBySide } from '../front-door/backends.ts';
import { World } from '../spec/world.ts';

const CLASSES = ['STANDARD', 'STANDARD_IA', 'GLACIER_IR'];

/* What is counted is what the listings of S3 show: versions, uploads and parts, page by page. */
describe.each(BACKENDS)('usage over %s', (backend) => {
  let cloud: Cloud;
  let world: World;
  let store: BlobStore;
  let bucket: string;

  beforeAll(async () => {
    cloud = await startCloud(backend);
    store = cloud.open();
    world = await World.open({ versioningDrainMs: 0 }, cloud.open());
    bucket = await world.bucket();
    const keys = Array.from({ length: 30 }, (_, at) => `never/${String(at)}`);
    await sideBySide(keys, async (key, at) => void (await world.put(`/${bucket}/${key}`, 'x'.repeat(at))));
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.must('PUT', `/${bucket}?versioning`, { body });
    await sideBySide(keys, async (key, at) => {
      const headers = { 'x-amz-storage-class': CLASSES[at % CLASSES.length] ?? '' };
      if (at % 2 === 0) await world.put(`/${bucket}/${key}`, 'y'.repeat(100 + at), headers);
      if (at % 5 === 0) await world.must('DELETE', `/${bucket}/${key}`);
    });
    for (const sizes of [[5, 7], [], [9]]) {
      const upload = await world.upload(`/${bucket}/up`);
      for (const [at, size] of sizes.entries()) {
        await world.must('PUT', `${upload}&partNumber=${String(at + 1)}`, { body: 'z'.repeat(size) });
      }
    }
    await world.gateway.idle();
  });
  afterAll(async () => {
    await world.close();
    await store.close();
    await cloud.stop();
  });

  async function count(): Promise<UsageReport> {
    const one = { name: 'main', store, systemContainer: 'system', ownerId: CANONICAL_ID };
    const realm = createRealm([one], [], undefined);
    const manifest = openManifest({ realm, bucketCacheMs: 1000, log: SILENT, signal: new AbortController().signal });
    const options = { realm, backends: [one], manifest, settings: { everyMs: 0 }, clockOf: () => undefined };
    return countUsage(options, testCall());
  }

  /** As `GET /api/usage` shows it. */
  async function shown(): Promise<BucketUsage | undefined> {
    const quotas = { buckets: [], exchangeMs: 5000, maxAgeMs: 86_400_000 };
    const { read, ...surroundings } = usageSource({
      config: { quotas },
      currentQuotas: () => quotas,
      accounts: createAccountDirectory([]),
      backends: [{ name: 'main', store, systemContainer: 'system' }],
    });
    const { buckets } = usageList(await read(testCall()), { ...surroundings, now: Date.now() });
    return buckets.find(({ name }) => name === bucket);
  }

  test('is what the listings of a client say', async () => {
    expect((await count()).problems).toEqual([]);
    const usage = await shown();
    const listed = await listedUsage(world, bucket);
    expect(listed.markers).toBeGreaterThan(0);
    expect(listed.classes.length).toBe(CLASSES.length);
    expect(usage).toMatchObject(listed);
    expect(usage?.account).toBe(CANONICAL_ID);
  });
});

/** Adds up what S3's listings show, in small pages. */
async function listedUsage(
  world: World,
  bucket: string,
): Promise<Pick<BucketUsage, 'classes' | 'markers' | 'uploads'>> {
  const classes = new Map<string, BucketUsage['classes'][number]>();
  let markers = 0;
  for (const xml of await pages(world, `/${bucket}?versions&max-keys=7`, ['key-marker', 'version-id-marker'])) {
    markers += xml.match(/<DeleteMarker>/g)?.length ?? 0;
    for (const [version = ''] of xml.matchAll(/<Version>.*?<\/Version>/gs)) {
      const storageClass = text(version, 'StorageClass');
      const none = { storageClass, currentObjects: 0, currentBytes: 0, noncurrentObjects: 0, noncurrentBytes: 0 };
      const before = classes.get(storageClass) ?? none;
      const size = Number(text(version, 'Size'));
      classes.set(
        storageClass,
        text(version, 'IsLatest') === 'true'
          ? { ...before, currentObjects: before.currentObjects + 1, currentBytes: before.currentBytes + size }
          : {
              ...before,
              noncurrentObjects: before.noncurrentObjects + 1,
              noncurrentBytes: before.noncurrentBytes + size,
            },
      );
    }
  }
  const uploads = { count: 0, parts: 0, bytes: 0 };
  for (const xml of await pages(world, `/${bucket}?uploads&max-uploads=2`, ['key-marker', 'upload-id-marker'])) {
    for (const [upload = ''] of xml.matchAll(/<Upload>.*?<\/Upload>/gs)) {
      uploads.count += 1;
      const { body } = await world.must(
        'GET',
        `/${bucket}/${text(upload, 'Key')}?uploadId=${text(upload, 'UploadId')}`,
      );
      for (const [part = ''] of body.matchAll(/<Part>.*?<\/Part>/gs)) {
        uploads.parts += 1;
        uploads.bytes += Number(text(part, 'Size'));
      }
    }
  }
  const sorted = [...classes.values()].sort((a, b) => (rank(a.storageClass) < rank(b.storageClass) ? -1 : 1));
  return { classes: sorted, markers, uploads };
}

async function pages(world: World, target: string, markers: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let from = '';
  do {
    const { body } = await world.must('GET', target + from);
    found.push(body);
    const next = markers.map((name) => [
      name,
      text(body, `Next${name.replaceAll(/(?:^|-)(\w)/g, (_, c: string) => c.toUpperCase())}`),
    ]);
    from =
      text(body, 'IsTruncated') === 'true'
        ? next.map(([name = '', value = '']) => `&${name}=${encodeURIComponent(value)}`).join('')
        : '';
  } while (from !== '');
  return found;
}

function text(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
}

function rank(storageClass: string): string {
  return storageClass === 'STANDARD' ? '' : storageClass;
}
