import type { Call } from '../../observe/call.ts';
import type { Bucket } from './bucket.ts';

const MAX_BUCKETS = 10_000;

interface Cached {
  readonly bucket: Promise<Bucket>;
  readonly until: number;
}

/** Buckets as they were read within the last `cacheMs`; those who ask for one at the same time share the call. */
export interface BucketCache {
  /** From memory while it is fresh. */
  get(name: string, call: Call): Promise<Bucket>;
  /** Past the memory, which learns it. */
  load(name: string, call: Call): Promise<Bucket>;
  /** The result of `work`, after which, also if it failed, the bucket is not in memory. */
  forgetAfter<T>(name: string, work: Promise<T>): Promise<T>;
}

export interface BucketCacheOptions {
  readonly read: (name: string, call: Call) => Promise<Bucket>;
  readonly cacheMs: number;
  readonly now: () => number;
}

export function createBucketCache({ read, cacheMs, now }: BucketCacheOptions): BucketCache {
  const cache = new Map<string, Cached>();

  const load: BucketCache['load'] = (name, call) => {
    const bucket = read(name, call);
    const entry = { bucket, until: now() + cacheMs };
    cache.set(name, entry);
    bucket.catch(() => {
      if (cache.get(name) === entry) cache.delete(name); // a missing bucket may exist the next moment
    });
    if (cache.size > MAX_BUCKETS) cache.delete(cache.keys().next().value ?? '');
    return bucket;
  };

  return {
    load,
    get(name, call) {
      const cached = cache.get(name);
      return cached !== undefined && now() < cached.until ? cached.bucket : load(name, call);
    },
    async forgetAfter(name, work) {
      try {
        return await work;
      } finally {
        cache.delete(name);
      }
    },
  };
}
