import type { Call } from '../../observe/call.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isS3Error } from '../../errors/s3-error.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { BucketRegistry } from '../buckets/buckets.ts';
import type { Backend, Realm } from '../buckets/realm.ts';
import { claimedBy, RECORDS } from '../buckets/record-names.ts';
import type { Bucket } from '../records/bucket.ts';
import { problemOf } from './pass-run.ts';
import { decodeBucketSummary } from '../records/bucket-record.ts';

/** Which buckets a run is for. */
interface WantedBuckets {
  readonly realm: Realm;
  readonly buckets: Pick<BucketRegistry, 'get'>;
  /** Only the bucket of this name. */
  readonly only: string | undefined;
  /** Gets a line for each bucket whose record cannot be read: it is left out, and holds no other up. */
  readonly problems: string[];
}

/**
 * The buckets of a backend that have a record and are served, by name. Containers without a record are buckets that
 * have no settings.
 */
export async function* recordedBuckets(
  backend: Backend,
  { realm, only, ...wanted }: WantedBuckets,
  call: Call,
): AsyncGenerator<Bucket> {
  for (const name of await recordedNames(backend, call)) {
    if (realm.backendOf(name) !== backend || (only ?? name) !== name) continue;
    const bucket = await served(wanted, name, call);
    if (bucket !== undefined) yield bucket;
  }
}

async function recordedNames(backend: Backend, call: Call): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const page of pagesOf(backend.store, backend.systemContainer, { prefix: RECORDS }, call)) {
      for (const { name, metadata } of blobsOf(page)) {
        const summary = decodeBucketSummary(metadata);
        const bucket = summary && claimedBy(backend, name, summary.container)?.bucket;
        if (bucket !== undefined) names.push(bucket);
      }
    }
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  return names.sort();
}

/** Undefined: the bucket is being made or deleted, or cannot be served. */
async function served(
  { buckets, problems }: Pick<WantedBuckets, 'buckets' | 'problems'>,
  name: string,
  call: Call,
): Promise<Bucket | undefined> {
  try {
    return await buckets.get(name, call);
  } catch (error) {
    if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
    if (!isS3Error(error, 'NoSuchBucket', 'OperationAborted', 'InvalidBucketState')) {
      problems.push(problemOf(`bucket ${name}`, error));
    }
    return undefined;
  }
}
