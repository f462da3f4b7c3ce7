/*
 * Buckets. Begin here, with what operations ask. `bucket-store.ts` reads records through `bucket-records.ts` and proves
 * whose a container is (`container-proof.ts`); `bucket-create.ts`, `-amend`, `-delete` and `-list` are the operations.
 */
import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import { type Call, withSignal } from '../../observe/call.ts';
import type { Bucket } from '../records/bucket.ts';
import { acknowledgeChange } from './acknowledge.ts';
import {
  amendBucket,
  type BucketAmendment,
  changeRecord,
  type RequestedVersioning,
  withVersioning,
} from './bucket-amend.ts';
import { awaitShared, type BucketCache, createBucketCache } from './bucket-cache.ts';
import { type CreateBucketRequest, createBucket } from './bucket-create.ts';
import { deleteBucket } from './bucket-delete.ts';
import { type BucketStore, createBucketStore } from './bucket-store.ts';
import type { OnDisputed } from './container-proof.ts';
import { type BucketPage, type ListBucketsRequest, listBuckets } from './bucket-list.ts';
import { SYSTEM_TIME, type Time } from '../records/time.ts';
import type { Realm } from './realm.ts';

/** Added to the lifetime of cached bucket records wherever every replica must have forgotten an old one. */
const MARGIN_MS = 50;
/** How long a DeleteBucket may take, also when its client has left. Milliseconds. */
const DELETE_MS = 120_000;

/** Buckets by name, their creation and their end. Records are cached for `cacheMs`, no longer. */
export interface BucketRegistry {
  /**
   * @throws S3Error NoSuchBucket, OperationAborted (being deleted), InvalidBucketState (it is unclear whose its
   * container is)
   */
  get(name: string, call: Call): Promise<Bucket>;
  /**
   * The same for anonymous callers: for them a missing bucket is remembered as long as an existing one. For accounts it
   * is not, since another replica may have made the bucket a moment ago.
   */
  getForStranger(name: string, call: Call): Promise<Bucket>;
  /** The bucket as it was last read, if it is still cached. Makes no backend call. */
  remembered(name: string): Bucket | undefined;
  /**
   * As `get`, for DeleteBucket: a bucket that another DeleteBucket has marked is found as well, because that one may
   * have died, and this one takes its place. @throws S3Error NoSuchBucket, InvalidBucketState
   */
  getToDelete(name: string, call: Call): Promise<Bucket>;
  /**
   * Says that the bucket read at the beginning of a request still stands: at once while the record
   * is fresh, else by reading it again. Called before the last bytes of an upload are let through.
   * @throws S3Error NoSuchBucket, OperationAborted, ServiceUnavailable (its state has changed since)
   */
  confirm(bucket: Bucket, call: Call): Promise<void>;
  /**
   * The same for requests that have written nothing yet: returns the bucket with its present settings. @throws S3Error
   * NoSuchBucket, OperationAborted
   */
  current(bucket: Bucket, call: Call): Promise<Bucket>;
  /**
   * Says that a change that has just been committed may be acknowledged: the bucket's record was read within the last
   * `cacheMs`, or is read again, and is still that of this bucket, which is not being deleted. So any DeleteBucket sees
   * the change before it removes anything. Waits some seconds for a DeleteBucket under way.
   * @throws S3Error NoSuchBucket: the bucket is gone, and the change with it; ServiceUnavailable: what became of the
   * change is not known
   */
  acknowledge(bucket: Bucket, call: Call): Promise<void>;
  /**
   * The bucket as it is now, past the cache.
   * @throws S3Error NoSuchBucket (also when another bucket has its name now), OperationAborted
   */
  latest(bucket: Bucket, call: Call): Promise<Bucket>;
  /**
   * Changes settings of a bucket. A container that has no record yet gets one. Replicas that remember
   * the old ones go by them for at most `cacheMs`.
   * @throws S3Error NoSuchBucket, OperationAborted, and what the amendment throws
   */
  amend(bucket: Bucket, amendment: BucketAmendment, call: Call): Promise<void>;
  /**
   * As `amend`, but returns only when no replica uses the old settings any more. For settings that promise protection.
   */
  amendEverywhere(bucket: Bucket, amendment: BucketAmendment, call: Call): Promise<void>;
  /**
   * Switches versioning, and returns when every replica knows it. It waits even if the state was the same before: the
   * process that set it may have died while it waited.
   * @throws S3Error NoSuchBucket, OperationAborted, InvalidBucketState (object lock is on and it should be suspended)
   */
  setVersioning(bucket: Bucket, versioning: RequestedVersioning, call: Call): Promise<void>;
  /** @returns whether it is new (false: the caller owned it already). @throws S3Error BucketAlreadyExists */
  create(request: CreateBucketRequest, call: Call): Promise<boolean>;
  /**
   * It continues after the client has left. @throws S3Error BucketNotEmpty, NoSuchBucket, OperationAborted (it lives
   * on)
   */
  delete(bucket: Bucket, isEmpty: (call: Call) => Promise<boolean>, call: Call): Promise<void>;
  /** Buckets of one owner, or of all, over all backends, by name. */
  list(request: ListBucketsRequest, call: Call): Promise<BucketPage>;
}

interface BucketRegistryOptions {
  readonly realm: Realm;
  readonly cacheMs: number;
  /** Called once for each container whose name no S3 bucket can have. */
  readonly onHidden: (container: string, backend: string) => void;
  /** Called once for each bucket whose container is not its own. */
  readonly onDisputed?: OnDisputed;
  readonly time?: Time;
}

export function createBucketRegistry(options: BucketRegistryOptions): BucketRegistry {
  const { realm, cacheMs, onDisputed, time = SYSTEM_TIME } = options;
  const store = createBucketStore(realm, onDisputed && toldOnce(onDisputed));
  const cache = createBucketCache({ read: (name, call) => store.read(name, call), cacheMs, time });
  const onHidden = toldOnce(options.onHidden);
  return {
    ...bucketReads(store, cache, { cacheMs, time }),
    ...bucketChanges(store, cache, { cacheMs, time }),
    list: (request, call) => listBuckets({ realm, onHidden }, request, call),
  };
}

type Times = Required<Pick<BucketRegistryOptions, 'cacheMs' | 'time'>>;

type BucketReads = Pick<
  BucketRegistry,
  'get' | 'getForStranger' | 'remembered' | 'getToDelete' | 'current' | 'confirm' | 'acknowledge' | 'latest'
>;

function bucketReads(store: BucketStore, cache: BucketCache, { cacheMs, time }: Times): BucketReads {
  return {
    get: cache.get,
    getForStranger: cache.getOrMissing,
    remembered: cache.remembered,
    async getToDelete(name, call) {
      try {
        return await cache.get(name, call);
      } catch (error) {
        if (!isS3Error(error, 'OperationAborted')) throw error;
        return store.readMarked(name, call);
      }
    },
    current: async (bucket, call) => sameBucket(bucket, await cache.get(bucket.name, call)),
    async confirm(bucket, call) {
      const current = sameBucket(bucket, await cache.get(bucket.name, call));
      if (current.versioning !== bucket.versioning) throw new S3Error('ServiceUnavailable');
    },
    async acknowledge(bucket, call) {
      // Nearly always so, and then nothing has to be awaited.
      if (cache.fresh(bucket.name)?.uid === bucket.uid) return;
      const look = async (): Promise<unknown> => sameBucket(bucket, await cache.get(bucket.name, call));
      await acknowledgeChange({ bucket, look, cacheMs, time }, call);
    },
    latest: async (bucket, call) => sameBucket(bucket, await cache.load(bucket.name, call)),
  };
}

type BucketChanges = Pick<BucketRegistry, 'amend' | 'amendEverywhere' | 'setVersioning' | 'create' | 'delete'>;

function bucketChanges(store: BucketStore, cache: BucketCache, { cacheMs, time }: Times): BucketChanges {
  const othersHaveForgotten = (call: Call): Promise<void> => time.sleep(cacheMs + MARGIN_MS, call.signal);
  const amend: BucketRegistry['amend'] = (bucket, amendment, call) =>
    cache.forgetAfter(bucket.name, amendBucket(store, { bucket, amendment }, call));
  return {
    amend,
    async amendEverywhere(bucket, amendment, call) {
      await amend(bucket, amendment, call);
      await othersHaveForgotten(call);
    },
    async setVersioning(bucket, versioning, call) {
      await cache.forgetAfter(
        bucket.name,
        changeRecord(store, { bucket, change: (record) => withVersioning(record, versioning, time.now()) }, call),
      );
      await othersHaveForgotten(call);
    },
    create: (request, call) => cache.forgetAfter(request.name, createBucket(store, request, call)),
    delete(bucket, isEmpty, call) {
      const own = withSignal(call, time.timeout(DELETE_MS));
      return awaitShared(
        cache.forgetAfter(bucket.name, deleteBucket(store, { bucket, isEmpty, othersHaveForgotten }, own)),
        call,
      );
    },
  };
}

/** Reports each combination once. */
function toldOnce<T extends string[]>(tell: (...what: T) => void): (...what: T) => void {
  const told = new Set<string>();
  return (...what) => {
    const words = what.join('/');
    if (told.has(words)) return;
    told.add(words);
    tell(...what);
  };
}

/** @throws S3Error NoSuchBucket when the name belongs to another bucket by now */
function sameBucket(expected: Bucket, current: Bucket): Bucket {
  if (current.uid !== expected.uid) throw new S3Error('NoSuchBucket', { extra: { BucketName: expected.name } });
  return current;
}
