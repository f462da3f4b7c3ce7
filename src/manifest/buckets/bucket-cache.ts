import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Time } from '../records/time.ts';
import type { Bucket } from '../records/bucket.ts';
import { awaitShared, beginShared } from './shared-read.ts';

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
  let bytes = 0;
  const drop = (map: Map<string, Cached>, name: string): void => {
    bytes -= map.get(name)?.bytes ?? 0;
    map.delete(name);
  };
  const keep = (map: Map<string, Cached>, name: string, entry: Cached): void => {
    drop(map, name);
    map.set(name, entry);
    if (map.size > MAX_BUCKETS) drop(map, map.keys().next().value ?? '');
  };
  /** Those read longest ago go first; the one that was just read stays, however large. */
  const weigh = (entry: Cached, bucket: Bucket): void => {
    entry.bytes = bytesOf(bucket);
    bytes += entry.bytes;
    for (const [name, other] of cache) {
      if (bytes <= MAX_BYTES) break;
      if (other !== entry) drop(cache, name);
    }
  };

  const begin = (name: string, call: Call): Promise<Bucket> => {
    const times = { monotonic: time.monotonic(), wall: time.now() };
    const entry: Cached = { ...times, bucket: beginShared(time, call, (own) => read(name, own)) };
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
        drop(cache, name);
        missing.delete(name);
      }
    },
  };
}

/** Rules that were read take some times their text. */
function bytesOf({ settings }: Bucket): number {
  return PLAIN_BYTES + 4 * JSON.stringify(settings).length;
}
