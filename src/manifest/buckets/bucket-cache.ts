import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Time } from '../records/time.ts';
import type { Bucket } from '../records/bucket.ts';
import { keepNewest } from './bounded-map.ts';
import { awaitShared, beginShared } from './shared-read.ts';

const MAX_BUCKETS = 10_000;

interface Cached {
  readonly bucket: Promise<Bucket>;
  /** Once it is there. */
  read?: Bucket;
  /** When its read began, by both clocks. Milliseconds. */
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Buckets whose read began within the last `cacheMs`: as long as that, by the clock that says more. A clock that is set
 * back does not make them younger, a machine that stood still does not either. Those who ask at the same time share a
 * read, which none of them ends.
 */
export interface BucketCache {
  /** From memory while it is fresh. */
  get(name: string, call: Call): Promise<Bucket>;
  /**
   * As `get`; that there is no such bucket is remembered as well. For those to whom one that another process has just
   * made may stay unknown for as long.
   */
  getOrMissing(name: string, call: Call): Promise<Bucket>;
  /** What memory has of it, however old; nothing is read. */
  remembered(name: string): Bucket | undefined;
  /** Past the memory, which learns it. */
  load(name: string, call: Call): Promise<Bucket>;
  /** The result of `work`, after which, also if it failed, the bucket is not in memory. */
  forgetAfter<T>(name: string, work: Promise<T>): Promise<T>;
}

interface BucketCacheOptions {
  readonly read: (name: string, call: Call) => Promise<Bucket>;
  readonly cacheMs: number;
  readonly time: Time;
}

export function createBucketCache({ read, cacheMs, time }: BucketCacheOptions): BucketCache {
  const cache = new Map<string, Cached>();
  const missing = new Map<string, Cached>();
  const isFresh = ({ monotonic, wall }: Cached): boolean =>
    Math.max(time.monotonic() - monotonic, time.now() - wall) < cacheMs;

  const begin = (name: string, call: Call): Promise<Bucket> => {
    const times = { monotonic: time.monotonic(), wall: time.now() };
    const entry: Cached = { ...times, bucket: beginShared(time, call, (own) => read(name, own)) };
    keepNewest(cache, name, entry, MAX_BUCKETS);
    missing.delete(name);
    entry.bucket.then(
      (bucket) => void (entry.read = bucket),
      (error: unknown) => {
        if (cache.get(name) !== entry) return; // forgotten meanwhile: it may have been made
        cache.delete(name); // a missing bucket may exist the next moment
        if (isS3Error(error, 'NoSuchBucket')) keepNewest(missing, name, entry, MAX_BUCKETS);
      },
    );
    return entry.bucket;
  };
  const fresh = (map: Map<string, Cached>, name: string): Promise<Bucket> | undefined => {
    const cached = map.get(name);
    return cached !== undefined && isFresh(cached) ? cached.bucket : undefined;
  };

  return {
    load: (name, call) => awaitShared(begin(name, call), call),
    remembered: (name) => cache.get(name)?.read,
    get: (name, call) => awaitShared(fresh(cache, name) ?? begin(name, call), call),
    getOrMissing: (name, call) => awaitShared(fresh(cache, name) ?? fresh(missing, name) ?? begin(name, call), call),
    async forgetAfter(name, work) {
      try {
        return await work;
      } finally {
        cache.delete(name);
        missing.delete(name);
      }
    },
  };
}
