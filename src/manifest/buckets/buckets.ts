import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Bucket } from './bucket.ts';
import { type BucketAmendment, amendBucket, changeRecord } from './bucket-amend.ts';
import { createBucketCache } from './bucket-cache.ts';
import { createBucketStore } from './bucket-store.ts';
import { type CreateBucketRequest, createBucket, deleteBucket } from './bucket-lifecycle.ts';
import { type BucketPage, type ListBucketsRequest, listBuckets } from './bucket-list.ts';
import { type RequestedVersioning, withVersioning } from './bucket-versioning.ts';
import { SYSTEM_TIME, type Time } from '../records/time.ts';
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
  /** As `amend`, and returns when no replica goes by the old settings any more: for those that promise protection. */
  amendEverywhere(bucket: Bucket, amendment: BucketAmendment, call: Call): Promise<void>;
  /**
   * Switches versioning. Returns when every replica knows it, also if it was so before: whoever made it so
   * may have died while it waited.
   * @throws S3Error NoSuchBucket, OperationAborted, InvalidBucketState (object lock is on and it should be suspended)
   */
  setVersioning(bucket: Bucket, versioning: RequestedVersioning, call: Call): Promise<void>;
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
  readonly time?: Time;
  /** Milliseconds since the epoch; absent: what `time` says. */
  readonly now?: () => number;
}

export function createBucketRegistry(options: BucketRegistryOptions): BucketRegistry {
  const { realm, cacheMs, time = SYSTEM_TIME, now = time.now } = options;
  const store = createBucketStore(realm, now);
  const cache = createBucketCache({ read: (name, call) => store.read(name, call), cacheMs, now });
  const onHidden = toldOnce(options.onHidden);
  const othersHaveForgotten = (call: Call): Promise<void> => time.sleep(cacheMs + MARGIN_MS, call.signal);
  const amend: BucketRegistry['amend'] = (bucket, amendment, call) => cache.forgetAfter(bucket.name, amendBucket(store, { bucket, amendment }, call));

  return {
    get: (name, call) => cache.get(name, call),
    async confirm(bucket, call) {
      const current = sameBucket(bucket, await cache.get(bucket.name, call));
      if (current.versioning !== bucket.versioning) throw new S3Error('ServiceUnavailable');
    },
    latest: async (bucket, call) => sameBucket(bucket, await cache.load(bucket.name, call)),
    amend,
    async amendEverywhere(bucket, amendment, call) {
      await amend(bucket, amendment, call);
      await othersHaveForgotten(call);
    },
    async setVersioning(bucket, versioning, call) {
      await cache.forgetAfter(bucket.name, changeRecord(store, { bucket, change: (record) => withVersioning(record, versioning, now()) }, call));
      await othersHaveForgotten(call);
    },
    create: (request, call) => cache.forgetAfter(request.name, createBucket(store, request, call)),
    delete: (bucket, isEmpty, call) => cache.forgetAfter(
      bucket.name,
      deleteBucket(store, { bucket, isEmpty, othersHaveForgotten: () => othersHaveForgotten(call), now }, call),
    ),
    list: (request, call) => listBuckets({ realm, onHidden }, request, call),
  };
}

/** Passes on each container once. */
function toldOnce(tell: BucketRegistryOptions['onHidden']): BucketRegistryOptions['onHidden'] {
  const told = new Set<string>();
  return (container, backend) => {
    if (told.has(`${backend}/${container}`)) return;
    told.add(`${backend}/${container}`);
    tell(container, backend);
  };
}

/** @throws S3Error NoSuchBucket when the name belongs to another bucket by now */
function sameBucket(expected: Bucket, current: Bucket): Bucket {
  if (current.uid !== expected.uid) throw new S3Error('NoSuchBucket', { extra: { BucketName: expected.name } });
  return current;
}
