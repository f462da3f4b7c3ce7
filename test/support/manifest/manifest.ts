import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { type BucketRegistry, createBucketRegistry } from '../../../src/manifest/buckets/buckets.ts';
import type { KeyQueue } from '../../../src/manifest/heads/key-queue.ts';
import { createClock, newNonce } from '../../../src/manifest/records/clock.ts';
import type { DetachedObject, PublishRequest, PutRequest } from '../../../src/manifest/heads/object-requests.ts';
import { newUploadToken } from '../../../src/manifest/records/version-token.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import type { Realm } from '../../../src/manifest/buckets/realm.ts';
import type { Time } from '../../../src/manifest/records/time.ts';
import { type Settler, createSettler } from '../../../src/manifest/versions/settle.ts';
import { withoutSettling } from './unsettled.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { withPrivateStaging } from './private-staging.ts';
import { testCall } from '../test-call.ts';

export const OWNER = 'owner-canonical-id';

export interface TestManifest {
  readonly store: BlobStore;
  readonly realm: Realm;
  readonly buckets: BucketRegistry;
  readonly objects: Objects;
  readonly settler: Settler;
  readonly bucket: Bucket;
  readonly hidden: string[];
}

export interface TestManifestOptions {
  /** The store, or a wrapper around one that injects faults. */
  readonly store?: BlobStore;
  readonly cacheMs?: number;
  /** Absent: that of the machine. */
  readonly time?: Time;
  readonly settling?: boolean;
  /** Absent: changes of one key race. */
  readonly queue?: KeyQueue;
  /** Milliseconds since the epoch, for the objects. */
  readonly now?: () => number;
}

/** A manifest over one backend with one bucket, `bucket`, that nobody has versioned. */
export async function testManifest(options: TestManifestOptions = {}): Promise<TestManifest> {
  const store = withPrivateStaging(options.store ?? new MemoryBlobStore());
  const backend = {
    name: 'test',
    store,
    systemContainer: 'system',
    ownerId: OWNER,
    ...(options.queue && { queue: options.queue }),
    ...(options.time && { time: options.time }),
  };
  const realm: Realm = { backends: [backend], backendOf: () => backend };
  const hidden: string[] = [];
  const buckets = createBucketRegistry({
    realm,
    cacheMs: options.cacheMs ?? 20,
    onHidden: (name) => hidden.push(name),
    ...(options.time && { time: options.time }),
  });
  const background = createSettler({
    concurrency: 2,
    maxQueue: 100,
    newCall: () => testCall(),
    onError: (error, task) => {
      throw new Error(`background ${task} failed`, { cause: error });
    },
  });
  const settler: Settler = options.settling === false ? withoutSettling(background) : background;
  const objects = createObjects({ clock: createClock(), settler, ...(options.now && { now: options.now }) });
  await buckets.create({ name: 'bucket', ownerId: OWNER }, testCall());
  return { store, realm, buckets, objects, settler, hidden, bucket: await buckets.get('bucket', testCall()) };
}

/** A PutRequest with nothing special but what is given. */
export function putOf(body: string, more: Partial<PutRequest> = {}): PutRequest {
  return {
    body: Buffer.from(body),
    attributes: { headers: { contentType: 'text/plain' }, userMetadata: {} },
    ownerId: OWNER,
    conditions: {},
    ...more,
  };
}

/** The only attempt to publish a blob. */
export function publicationOf(
  blob: Pick<DetachedObject, 'version' | 'size' | 'etag'> & Partial<DetachedObject>,
): PublishRequest {
  const { attributes, ownerId, conditions } = putOf('');
  const once: PublishRequest['once'] = {
    nonce: newNonce(),
    happened: async () => undefined,
    placeAt: newUploadToken,
    movesTo: async () => ({}),
    onDoubt: () => undefined,
  };
  return { attributes, ownerId, conditions, ...blob, placed: true, once };
}
