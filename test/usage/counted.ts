import { isDeepStrictEqual } from 'node:util';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketVersioningCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createRealm } from '../../src/main/bucket-rules.ts';
import { openManifest, type OpenManifest } from '../../src/main/manifest.ts';
import type { UsageCount } from '../../src/manifest/records/usage-record.ts';
import { countUsage } from '../../src/manifest/usage/count-usage.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { wrapStore } from '../../src/store/wrap-store.ts';
import { mapConcurrent } from '../../src/streams/map-concurrent.ts';
import { startCloud } from '../support/backends/clouds.ts';
import { sdkClient } from '../support/clients/sdk-client.ts';
import { CANONICAL_ID, startGatewayOver } from '../support/gateway/gateway.ts';
import { putOf } from '../support/manifest/manifest.ts';
import { SILENT } from '../support/silent-log.ts';
import { testCall } from '../support/test-call.ts';

const BUCKET = 'counted';
/** In the order of counts. */
const CLASSES = ['STANDARD', 'GLACIER_IR', 'STANDARD_IA'] as const;
const PART = Buffer.alloc(1000, 'p');
/** Changes at a time. */
const CONCURRENCY = 32;

interface Outcome {
  readonly lines: readonly string[];
  readonly holds: boolean;
}

/**
 * A bucket of so many keys, with everything that is counted: null versions, versions in three classes, a tenth of them
 * noncurrent, delete markers over a twentieth, open uploads with parts. A pass counts it, and a client lists it.
 * @param name of a cloud
 */
export async function countedRun(name: string, keys: number): Promise<Outcome> {
  const cloud = await startCloud(name);
  const gateway = await startGatewayOver(cloud.open(), { versioningDrainMs: 0 });
  const client = sdkClient(gateway.port);
  try {
    await fill(client, gateway.store, keys);
    const { count, calls, seconds, problems } = await counted(gateway.store);
    const began = performance.now();
    const listed = await listedUsage(client);
    const listing = ((performance.now() - began) / 1000).toFixed(0);
    return {
      holds: problems.length === 0 && hasAll(listed) && isDeepStrictEqual(count, listed),
      lines: [
        `${String(keys)} keys; counted in ${seconds.toFixed(0)} s by ${String(calls)} calls, listed by a client in ${listing} s`,
        `counted ${JSON.stringify(count)}`,
        `listed  ${JSON.stringify(listed)}`,
        ...problems,
      ],
    };
  } finally {
    client.destroy();
    await gateway.close();
    await cloud.stop();
  }
}

/** Whether there was something of everything that is counted: else nothing is said of it. */
function hasAll({ classes, markers, uploads, parts }: UsageCount): boolean {
  return markers > 0 && uploads > 0 && parts > 0 && classes.every((one) => one.noncurrentObjects > 0);
}

function manifestOver(store: BlobStore): { manifest: OpenManifest; realm: ReturnType<typeof createRealm> } {
  const backend = { name: 'test', store, systemContainer: 'system', ownerId: CANONICAL_ID };
  const realm = createRealm([backend], [], undefined);
  const signal = new AbortController().signal;
  return { realm, manifest: openManifest({ realm, bucketCacheMs: 1000, versioningDrainMs: 0, log: SILENT, signal }) };
}

async function fill(client: S3Client, store: BlobStore, keys: number): Promise<void> {
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  let { manifest } = manifestOver(store);
  const keyOf = (at: number): string => `folder-${String(at % 97)}/${String(at)}`;
  const changeAll = async (every: number, change: (at: number) => Promise<unknown>): Promise<void> => {
    const places = Array.from({ length: Math.floor(keys / every) }, (_, at) => at * every);
    await mapConcurrent(places, CONCURRENCY, change);
  };
  const put = async (at: number, text: string): Promise<void> => {
    const storageClass = CLASSES[at % CLASSES.length];
    const attributes = { headers: {}, userMetadata: {}, ...(storageClass !== undefined && { storageClass }) };
    const bucket = await manifest.buckets.get(BUCKET, testCall());
    await manifest.objects.put(
      { bucket, key: keyOf(at) },
      putOf(text, { ownerId: CANONICAL_ID, attributes }),
      testCall(),
    );
  };
  await changeAll(3, (at) => put(at, 'null'));
  const versioning = { Bucket: BUCKET, VersioningConfiguration: { Status: 'Enabled' } } as const;
  await client.send(new PutBucketVersioningCommand(versioning));
  // The first one remembers the bucket without versions.
  ({ manifest } = manifestOver(store));
  await changeAll(1, async (at) => {
    if (at % 3 !== 0) await put(at, 'x'.repeat(at % 50));
  });
  await changeAll(10, (at) => put(at, 'another version'));
  await changeAll(20, async (at) => {
    const bucket = await manifest.buckets.get(BUCKET, testCall());
    const request = { conditions: {}, ownerId: CANONICAL_ID };
    await manifest.objects.remove({ bucket, key: keyOf(at), versionId: undefined }, request, testCall());
  });
  await changeAll(100, async (at) => {
    const upload = { Bucket: BUCKET, Key: keyOf(at) };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
    for (let PartNumber = 1; PartNumber <= (at / 100) % 4; PartNumber += 1) {
      await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber, Body: PART }));
    }
  });
  await manifest.settler.idle();
}

/** What a pass counts, as the command makes one. */
async function counted(store: BlobStore): Promise<{
  readonly count: UsageCount | undefined;
  readonly calls: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}> {
  let calls = 0;
  const watched = wrapStore(store, (_call, work) => {
    calls += 1;
    return work();
  });
  const { manifest, realm } = manifestOver(watched);
  const { backends } = realm;
  const began = performance.now();
  const settings = { everyMs: 0, bucket: BUCKET };
  const { buckets, problems } = await countUsage(
    { realm, backends, manifest, settings, clockOf: () => undefined },
    testCall(),
  );
  return { count: buckets[0]?.counted, calls, seconds: (performance.now() - began) / 1000, problems };
}

/** What ListObjectVersions, ListMultipartUploads and ListParts show, added up. */
async function listedUsage(client: S3Client): Promise<UsageCount> {
  const classes = new Map<string, [number, number, number, number]>();
  let markers = 0;
  for (let from: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {}; from !== undefined; ) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: BUCKET, ...from }),
    );
    markers += page.DeleteMarkers?.length ?? 0;
    for (const { IsLatest = false, Size = 0, StorageClass = '' } of page.Versions ?? []) {
      const sums = classes.get(StorageClass) ?? [0, 0, 0, 0];
      classes.set(StorageClass, sums);
      sums[IsLatest ? 0 : 2] += 1;
      sums[IsLatest ? 1 : 3] += Size;
    }
    const { NextKeyMarker: KeyMarker = '', NextVersionIdMarker: VersionIdMarker = '' } = page;
    from = page.IsTruncated === true ? { KeyMarker, VersionIdMarker } : undefined;
  }
  return {
    classes: CLASSES.map((storageClass) => {
      const [currentObjects, currentBytes, noncurrentObjects, noncurrentBytes] = classes.get(storageClass) ?? [
        0, 0, 0, 0,
      ];
      return { storageClass, currentObjects, currentBytes, noncurrentObjects, noncurrentBytes };
    }),
    markers,
    ...(await listedUploads(client)),
  };
}

async function listedUploads(client: S3Client): Promise<Pick<UsageCount, 'uploads' | 'parts' | 'partBytes'>> {
  const sums = { uploads: 0, parts: 0, partBytes: 0 };
  for (let from: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}; from !== undefined; ) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: BUCKET, ...from }),
    );
    for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
      sums.uploads += 1;
      // None has more parts than one page.
      const { Parts = [], IsTruncated } = await client.send(new ListPartsCommand({ Bucket: BUCKET, Key, UploadId }));
      if (IsTruncated === true) throw new Error(`the parts of ${Key} are on several pages`);
      sums.parts += Parts.length;
      for (const { Size = 0 } of Parts) sums.partBytes += Size;
    }
    const { NextKeyMarker: KeyMarker = '', NextUploadIdMarker: UploadIdMarker = '' } = page;
    from = page.IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined;
  }
  return sums;
}
