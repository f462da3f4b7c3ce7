import {
  type AliasOf,
  type BucketRegistry,
  CommitLife,
  createBucketRegistry,
  createClock,
  createListing,
  createObjects,
  createSettler,
  createUploads,
  guarded,
  type Manifest,
  type Realm,
  type Settler,
  SYSTEM_TIME,
  type Time,
  withConfiguredNames,
} from '../manifest/index.ts';
import type { Log } from '../observe/log.ts';
import type { CallWatch } from '../observe/call-facts.ts';
import { backgroundCall } from './background-call.ts';

/** Moves of multipart objects to their keys under way at a time, and waiting; what is dropped is settled later. */
const SETTLING = { concurrency: 4, maxQueue: 1000 };

interface ManifestOptions {
  readonly realm: Realm;
  readonly bucketCacheMs: number;
  /** Absent: buckets have their own names only. */
  readonly aliasOf?: AliasOf;
  /** Absent: long enough for all but broken networks. */
  readonly versioningDrainMs?: number;
  /** Bytes of the largest object of an upload in parts; absent: S3's. */
  readonly maxObjectSize?: number;
  readonly log: Log;
  /** Where calls to backends are counted. */
  readonly calls?: CallWatch;
  /** Ends background work. */
  readonly signal: AbortSignal;
  /** Of the process; the backends of the realm have the same. */
  readonly time?: Time;
}

export interface OpenManifest extends Manifest {
  readonly settler: Settler;
  readonly commits: CommitLife;
}

export function openManifest({ time = SYSTEM_TIME, ...options }: ManifestOptions): OpenManifest {
  const { realm, aliasOf = () => undefined, versioningDrainMs } = options;
  const clock = createClock(time.now);
  const commits = new CommitLife(time);
  const settler = openSettler(options);
  const drain = versioningDrainMs === undefined ? {} : { versioningDrainMs };
  const objects = createObjects({ clock, settler, commits, now: time.now, ...drain });
  const listing = createListing({ now: time.now, ...drain });
  const { maxObjectSize } = options;
  const sizes = maxObjectSize === undefined ? {} : { maxObjectSize };
  const uploads = createUploads({ clock, settler, commits, objects, ...sizes });
  const buckets = withConfiguredNames(openRegistry(options, time), realm, aliasOf);
  return { settler, commits, buckets, ...guarded({ objects, listing, uploads }, buckets) };
}

function openSettler({ signal, calls, log }: ManifestOptions): Settler {
  return createSettler({
    ...SETTLING,
    newCall: () => backgroundCall(signal, calls),
    onError: (error, task, { requestId, traceId }) =>
      log.warn(
        { requestId, traceId, err: error, task },
        'background work failed; the object stays readable and is settled when it is next read or written',
      ),
  });
}

const NOT_SERVED = {
  disputed: 'a bucket is not served: it is unclear whose its container is (npm run sweep -- --check)',
  foreign:
    'a bucket is not served: its container was removed, and another customer of the service has one of its name; CreateBucket by its owner gives it a new one',
} as const;

function openRegistry({ realm, bucketCacheMs, log }: ManifestOptions, time: Time): BucketRegistry {
  return createBucketRegistry({
    realm,
    time,
    cacheMs: bucketCacheMs,
    onHidden: (container, backend) =>
      log.warn({ container, backend }, 'a container is hidden: S3 has no bucket of such a name'),
    onDisputed: (bucket, container, backend, why) => log.warn({ bucket, container, backend }, NOT_SERVED[why]),
  });
}
