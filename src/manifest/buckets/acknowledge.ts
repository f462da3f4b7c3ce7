import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Time } from '../records/time.ts';
import { ownerMark } from './container-names.ts';

/**
 * Pauses between two looks at a bucket that is being deleted; each is longer than the one before it. Together with a
 * pause of the time for which records are remembered they last longer than a DeleteBucket that gets its answers.
 * Milliseconds.
 */
const PAUSES_MS = [100, 200, 400, 800, 1600];

interface Acknowledgement {
  readonly bucket: Bucket;
  /** Its record, read within the last `cacheMs`. @throws S3Error NoSuchBucket (or it is another's), OperationAborted */
  readonly look: () => Promise<unknown>;
  readonly cacheMs: number;
  readonly time: Time;
}

/**
 * Waits until it is certain what becomes of the bucket of a change that was just committed: it stands and no
 * DeleteBucket is deleting it (then every later DeleteBucket sees the change), or it went with its container and all
 * that was in it. A DeleteBucket under way comes to one of these soon; one that died comes to neither.
 * @throws S3Error NoSuchBucket: nothing is left of the change; ServiceUnavailable: what became of it is not known
 */
export async function acknowledgeChange(change: Acknowledgement, call: Call): Promise<void> {
  const { bucket, look, time, cacheMs } = change;
  let cause: unknown;
  try {
    for (const pause of [...PAUSES_MS, cacheMs, 0]) {
      try {
        await look();
        return;
      } catch (error) {
        if (!isS3Error(error, 'NoSuchBucket', 'OperationAborted')) throw error;
        if (error.code === 'NoSuchBucket' && (await isContainerGone(bucket, call))) break;
        cause = error;
      }
      if (pause > 0) await time.sleep(pause, call.signal);
      else throw cause;
    }
  } catch (error) {
    throw new S3Error('ServiceUnavailable', {
      message: 'The bucket has changed meanwhile. The request may or may not have been carried out.',
      cause: error,
    });
  }
  throw new S3Error('NoSuchBucket', { extra: { BucketName: bucket.name } });
}

/**
 * Whether the container that was made for a bucket is no more, with all that was in it; its name is not given again.
 * @returns false when the service does not tell
 */
export async function isContainerGone({ home, uid }: Bucket, call: Call): Promise<boolean> {
  try {
    const { owner } = await home.store.headContainer(home.container, call);
    return owner !== undefined && owner !== ownerMark(uid);
  } catch (error) {
    return isStoreError(error, 'containerNotFound', 'containerBusy');
  }
}
