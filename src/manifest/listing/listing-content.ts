import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import type { Bucket } from '../records/bucket.ts';
import { parseListedHead } from '../heads/head.ts';
import { asNoSuchBucket } from '../heads/object-read.ts';
import { timeOf } from '../records/time.ts';
import { holdsSurvivor } from './survivors.ts';

/** Normally the first blob decides; only leftovers of removed keys make the search longer. */
const FIRST_LOOK = 10;

/**
 * Whether a bucket holds anything besides leftovers of keys that are gone for good. Counts too: versions and delete
 * markers, and blobs that S3 cannot show (they are data of other tools). Uploads do not.
 * @throws S3Error NoSuchBucket
 */
export async function hasContent(bucket: Bucket, call: Call): Promise<boolean> {
  const { store, container } = bucket.home;
  let limit = FIRST_LOOK;
  let token: string | undefined;
  do {
    const page = await store
      .list(container, { limit, ...(token !== undefined && { token }) }, call)
      .catch((error: unknown) => {
        throw asNoSuchBucket(error, bucket);
      });
    if (page.entries.some((entry) => entry.kind === 'blob' && !isLeftover(entry, container))) return true;
    token = page.nextToken;
    limit = store.capabilities.maxListPage;
  } while (token !== undefined);
  // A version whose key has no head.
  return (
    bucket.versioning !== 'never' &&
    holdsSurvivor(bucket, { prefix: '', maxCalls: Infinity, lockedAt: timeOf(bucket.home).now() }, call)
  );
}

function isLeftover(entry: BlobEntry, container: string): boolean {
  return parseListedHead({ container, name: entry.name }, entry).record?.kind === 'void';
}
