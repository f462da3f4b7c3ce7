import { isS3Error } from '../../errors/s3-error.ts';
import { type Call, withSignal } from '../../observe/call.ts';
import type { Time } from '../records/time.ts';
import type { Bucket } from '../records/bucket.ts';
import { StoreError } from '../../store/store-error.ts';

const MAX_BUCKETS = 10_000;
/** CORS, website, policy and the like are up to 64 KB each: ten thousand records could take most of a gigabyte. */
const MAX_BYTES = 32 * 1024 * 1024;
/** About, of a record without any of these. */
const PLAIN_BYTES = 1024;

interface Cached {
  readonly bucket: Promise<Bucket>;
  /** Once it is there. */
  read?: Bucket;
  /** What `read` takes, about. */
  bytes?: number;
  /** When its read began, by both clocks. Milliseconds. */
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Buckets as they were read, each for `cacheMs` from the moment when its read began. Age is measured by two clocks, and
 * the longer time counts: a wall clock that is set back makes no entry younger, and neither does a machine that was
 * suspended, whose monotonic clock stood still. Callers that ask for a bucket at the same time share one read; a caller
 * that leaves does not end it.
 */
export interface BucketCache {
  /** From memory while it is fresh. */
  readonly get: (name: string, call: Call) => Promise<Bucket>;
  /**
   * As `get`, but a missing bucket is remembered as well. Only for callers who may be told for up to `cacheMs` that a
   * bucket is missing which another process has just made.
   */
  readonly getOrMissing: (name: string, call: Call) => Promise<Bucket>;
  /** As `get`, without waiting: undefined when it has to be read, or is just being read. */
  readonly fresh: (name: string) => Bucket | undefined;
  /** The bucket as it was last read, however long ago. Reads nothing. */
  readonly remembered: (name: string) => Bucket | undefined;
  /** Reads the bucket, and remembers what was read. */
  load(name: string, call: Call): Promise<Bucket>;
  /** The result of `work`, after which, also if it failed, the bucket is not in memory. */
  forgetAfter<T>(name: string, work: Promise<T>): Promise<T>;
}

interface BucketCacheOptions {
  readonly read: (name: string, call: Call) => Promise<Bucket>;
  readonly cacheMs: number;
  readonly time: Time;
}

export function createBucketCache(options: BucketCacheOptions): BucketCache {
  const [cache, missing] = [new Map<string, Cached>(), new Map<string, Cached>()];
  const { drop, keep, weigh } = weighedMaps(cache);

  const begin = (name: string, call: Call): Promise<Bucket> => {
    const times = { monotonic: options.time.monotonic(), wall: options.time.now() };
    const entry: Cached = { ...times, bucket: beginShared(options.time, call, (own) => options.read(name, own)) };
    keep(cache, name, entry);
    missing.delete(name);
    entry.bucket.then(
      (bucket) => {
        entry.read = bucket;
        if (cache.get(name) === entry) weigh(entry, bucket);
      },
      (error: unknown) => {
        if (cache.get(name) !== entry) return; // forgotten meanwhile: it may have been made
        drop(cache, name); // a missing bucket may exist the next moment
        if (isS3Error(error, 'NoSuchBucket')) keep(missing, name, entry);
      },
    );
    return entry.bucket;
  };
  const get = (name: string, call: Call): Promise<Bucket> => {
    const known = fresh(options, cache.get(name));
    // What is there already is nothing to wait for: nearly all requests ask for such a bucket.
    return known?.read === undefined ? awaitShared(known?.bucket ?? begin(name, call), call) : known.bucket;
  };

  return {
    load: (name, call) => awaitShared(begin(name, call), call),
    fresh: (name) => fresh(options, cache.get(name))?.read,
    remembered: (name) => cache.get(name)?.read,
    get,
    getOrMissing: (name, call) => {
      // A name is in one of the maps at most.
      const known = fresh(options, missing.get(name));
      return known === undefined ? get(name, call) : awaitShared(known.bucket, call);
    },
    forgetAfter: (name, work) =>
      work.finally(() => {
        for (const map of [cache, missing]) drop(map, name);
      }),
  };
}

/** By whichever clock says that more time has gone by. */
function fresh({ cacheMs, time }: BucketCacheOptions, cached: Cached | undefined): Cached | undefined {
  if (cached === undefined) return undefined;
  const age = Math.max(time.monotonic() - cached.monotonic, time.now() - cached.wall);
  return age < cacheMs ? cached : undefined;
}

interface WeighedMaps {
  readonly drop: (map: Map<string, Cached>, name: string) => void;
  readonly keep: (map: Map<string, Cached>, name: string, entry: Cached) => void;
  /** Those read longest ago go first; the one that was just read stays, however large. */
  readonly weigh: (entry: Cached, bucket: Bucket) => void;
}

/** Bounds what is kept: each map by its entries, and the cache by its bytes. */
function weighedMaps(cache: Map<string, Cached>): WeighedMaps {
  let bytes = 0;
  const drop = (map: Map<string, Cached>, name: string): void => {
    bytes -= map.get(name)?.bytes ?? 0;
    map.delete(name);
  };
  return {
    drop,
    keep: (map, name, entry) => {
      drop(map, name);
      map.set(name, entry);
      if (map.size > MAX_BUCKETS) drop(map, map.keys().next().value ?? '');
    },
    weigh: (entry, bucket) => {
      entry.bytes = bytesOf(bucket);
      bytes += entry.bytes;
      for (const [name, other] of cache) {
        if (bytes <= MAX_BYTES) break;
        if (other !== entry) drop(cache, name);
      }
    },
  };
}

/** Rules that were read take some times their text. */
function bytesOf({ settings }: Bucket): number {
  return PLAIN_BYTES + 4 * JSON.stringify(settings).length;
}

/**
 * How long a read for which several requests wait may take: longer than any service that answers at all, shorter than
 * clients wait. Milliseconds.
 */
const SHARED_MS = 20_000;

/** Begins work that has a deadline of its own and does not end with the call that asked for it first. */
export function beginShared<T>(time: Time, call: Call, work: (call: Call) => Promise<T>): Promise<T> {
  const shared = work(withSignal(call, time.timeout(SHARED_MS))).catch((error: unknown) => {
    // For the requests that wait, the service did not answer: none of them has been aborted.
    throw error instanceof StoreError && error.kind === 'aborted'
      ? new StoreError('unavailable', { ...error.detail, cause: error })
      : error;
  });
  shared.catch(() => undefined);
  return shared;
}

/** Waits for it until the call ends. @throws StoreError aborted, and what the work throws */
export function awaitShared<T>(shared: Promise<T>, { signal }: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new StoreError('aborted', { cause: signal.reason }));
    if (signal.aborted) {
      onAbort();
      // Nobody waits for it here: a later failure is reported to other waiting requests, or to nobody.
      shared.catch(() => undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
