import type { BucketRegistry, BucketSettings, Realm } from '../manifest/index.ts';
import { isS3Error } from '../errors/s3-error.ts';
import type { Call } from '../observe/call.ts';
import { checkBucketName } from '../protocol/bucket-name.ts';
import { StartError, wordsOf } from './start-error.ts';

interface InitialBuckets {
  /** `buckets.initial` of the configuration. */
  readonly names: readonly string[];
  /** What buckets have whose CreateBucket says nothing of it. */
  readonly defaults: BucketSettings;
  readonly realm: Realm;
  readonly buckets: Pick<BucketRegistry, 'get' | 'create'>;
}

/**
 * Makes the buckets that the configuration wants to be there when the gateway starts. A bucket that is there already
 * stays as it is, whoever owns it. A new one belongs to the owner of its backend. Replicas may do this side by side.
 * @throws StartError naming the bucket that could not be made
 */
export async function makeInitialBuckets(wanted: InitialBuckets, call: Call): Promise<void> {
  const { names, defaults, realm, buckets } = wanted;
  for (const name of names) {
    try {
      checkBucketName(name);
      if (await isThere(name, buckets, call)) continue;
      await buckets.create({ name, ownerId: realm.backendOf(name).ownerId, defaults }, call);
    } catch (error) {
      if (isS3Error(error, 'BucketAlreadyExists')) continue;
      throw new StartError([`buckets.initial: ${name} could not be made (${wordsOf(error)})`], error);
    }
  }
}

/** @throws S3Error but NoSuchBucket */
async function isThere(name: string, buckets: InitialBuckets['buckets'], call: Call): Promise<boolean> {
  try {
    await buckets.get(name, call);
    return true;
  } catch (error) {
    if (isS3Error(error, 'NoSuchBucket')) return false;
    throw error;
  }
}
