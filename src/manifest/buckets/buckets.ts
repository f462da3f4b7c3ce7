import { setTimeout as sleep } from 'node:timers/promises';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Bucket } from './bucket.ts';
import { type BucketAmendment, amendBucket } from './bucket-amend.ts';
import { createBucketStore } from './bucket-store.ts';
import { type CreateBucketRequest, createBucket, deleteBucket } from './bucket-lifecycle.ts';
import { type BucketPage, type ListBucketsRequest, listBuckets } from './bucket-list.ts';
import type { Realm } from './realm.ts';

/** Added to the time to live of bucket records wherever all replicas must have forgotten an old one. */
const MARGIN_MS = 50;

/** Buckets by name, their creation and their end. Records are cached for `cacheMs`, no longer. */
export interface BucketRegistry {
  /** @throws S3Error NoSuchBucket, OperationAborted (being deleted) */
  get(name: string, call: Call): Promise<Bucket>;
  /**
   * Says that the bucket read at the beginning of a request still stands: at once while the record
   * is fresh, else by reading it again. Called before the last bytes of an upload are let through.
   * @throws S3Error NoSuchBucket, OperationAborted, ServiceUnavailable (its state has changed since)
   */
  confirm(bucket: Bucket, call: Call): Promise<void>;
  /** The bucket as it is now, past the cache. @throws S3Error NoSuchBucket (also when another bucket has its name now), OperationAborted */
  latest(bucket: Bucket, call: Call): Promise<Bucket>;
  /**
   * Changes settings of a bucket. A container that has no record yet gets one. Replicas that remember
   * the old ones go by them for at most `cacheMs`.
   * @throws S3Error NoSuchBucket, OperationAborted, and what the amendment throws
   */
  amend(bucket: Bucket, amendment: BucketAmendment, call: Call): Promise<void>;
  /** @returns whether it is new (false: the caller owned it already). @throws S3Error BucketAlreadyExists */
  create(request: CreateBucketRequest, call: Call): Promise<boolean>;
  /** @throws S3Error BucketNotEmpty, NoSuchBucket */
  delete(bucket: Bucket, isEmpty: () => Promise<boolean>, call: Call): Promise<void>;
  /** Buckets of one owner over all backends, by name. */
  list(request: ListBucketsRequest, call: Call): Promise<BucketPage>;
}

export interface BucketRegistryOptions {
  readonly realm: Realm;
  readonly cacheMs: number;
  /** Told once of each container whose name no S3 bucket could have. */
  readonly onHidden: (container: string, backend: string) => void;
  readonly now?: () => number;
}

interface Cached {
  readonly bucket: Promise<Bucket>;
  readonly until: number;
}

export function createBucketRegistry(options: BucketRegistryOptions): BucketRegistry {
  const { realm, cacheMs, now = Date.now } = options;
  const store = createBucketStore(realm, now);
  const cache = new Map<string, Cached>();
  const told = new Set<string>();
  const onHidden = (container: string, backend: string): void => {
    if (told.has(`${backend}/${container}`)) return;
    told.add(`${backend}/${container}`);
    options.onHidden(container, backend);
  };

  const load = (name: string, call: Call): Promise<Bucket> => {
    const bucket = store.read(name, call);
    const entry = { bucket, until: now() + cacheMs };
    cache.set(name, entry);
    bucket.catch(() => {
      if (cache.get(name) === entry) cache.delete(name); // a missing bucket may exist the next moment
    });
    if (cache.size > 10_000) cache.delete(cache.keys().next().value ?? '');
    return bucket;
  };
  const get = (name: string, call: Call): Promise<Bucket> => {
    const cached = cache.get(name);
    return cached !== undefined && now() < cached.until ? cached.bucket : load(name, call);
  };

  return {
    get,
    async confirm(bucket, call) {
      const current = sameBucket(bucket, await get(bucket.name, call));
      if (current.versioning !== bucket.versioning) throw new S3Error('ServiceUnavailable');
    },
    latest: async (bucket, call) => sameBucket(bucket, await load(bucket.name, call)),
    async amend(bucket, amendment, call) {
      try {
        await amendBucket(store, { bucket, amendment }, call);
      } finally {
        cache.delete(bucket.name);
      }
    },
    async create(request, call) {
      try {
        return await createBucket(store, request, call);
      } finally {
        cache.delete(request.name);
      }
    },
    async delete(bucket, isEmpty, call) {
      const settled = (): Promise<void> => sleep(cacheMs + MARGIN_MS, undefined, { signal: call.signal });
      try {
        await deleteBucket(store, { bucket, isEmpty, othersHaveForgotten: settled, now }, call);
      } finally {
        cache.delete(bucket.name);
      }
    },
    list: (request, call) => listBuckets({ realm, onHidden }, request, call),
  };
}

/** @throws S3Error NoSuchBucket when the name belongs to another bucket by now */
function sameBucket(expected: Bucket, current: Bucket): Bucket {
  if (current.uid !== expected.uid) throw new S3Error('NoSuchBucket', { extra: { BucketName: expected.name } });
  return current;
}
