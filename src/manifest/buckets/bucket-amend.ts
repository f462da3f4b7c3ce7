import { isDeepStrictEqual } from 'node:util';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { ABSENT, at } from '../../store/blob-store.ts';
import { isStoreError, StoreError } from '../../store/store-error.ts';
import { timeOf } from '../records/time.ts';
import type { Bucket, BucketSettings, Versioning } from '../records/bucket.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import type { BucketStore } from './bucket-store.ts';
import { AGAIN, inTurns, TURNS } from '../records/turns.ts';

/** Longest wait between two turns, in milliseconds: takes writers that collided apart. */
const MAX_WAIT_MS = 50;

/**
 * All settings as they should be, from all that are and the versioning beside them; throws to refuse. May be asked
 * several times.
 */
export type BucketAmendment = (settings: BucketSettings, versioning: Versioning) => BucketSettings;

/** The whole record as it should be, likewise. */
type RecordChange = (record: BucketRecord) => BucketRecord;

/** Changes settings as `changeRecord` does. */
export function amendBucket(
  store: BucketStore,
  { bucket, amendment }: { bucket: Bucket; amendment: BucketAmendment },
  call: Call,
): Promise<void> {
  const change: RecordChange = (record) => ({ ...record, settings: amendment(record.settings, record.versioning) });
  return changeRecord(store, { bucket, change }, call);
}

/**
 * Changes a bucket by compare-and-swap of its record; of a container that native tools made, the first
 * change writes one. What the change leaves alone stays, whoever changes it meanwhile.
 *
 * A lost answer needs no proof: the record is read again, and either says what it should or is changed once more.
 */
export async function changeRecord(
  store: BucketStore,
  { bucket, change }: { bucket: Bucket; change: RecordChange },
  call: Call,
): Promise<void> {
  let cause: unknown;
  const take = async (turn: number): Promise<undefined | typeof AGAIN> => {
    if (turn > 0) await timeOf(bucket.home).sleep(Math.random() * MAX_WAIT_MS, call.signal);
    const { record, revision } = await store.findLive(bucket.name, call);
    if (record.uid !== bucket.uid) throw new S3Error('NoSuchBucket', { extra: { BucketName: bucket.name } });
    const changed = change(record);
    if (isDeepStrictEqual(changed, record)) return undefined;
    try {
      await store.write(bucket.name, changed, revision === undefined ? ABSENT : at(revision), call);
      return undefined;
    } catch (error) {
      if (!isStoreError(error) || !(error.kind === 'conditionFailed' || error.lost)) throw error;
      cause = error;
      return AGAIN;
    }
  };
  const { call: name, code } = TURNS.bucketRecord;
  await inTurns(TURNS.bucketRecord, take, () => new StoreError('throttled', { call: name, code, cause }));
}

/** The states that a client can ask for: there is no way back to `never`. */
export type RequestedVersioning = Exclude<Versioning, 'never'>;

/**
 * Returns the record with versioning switched. When it leaves `never`, for either state, the time is noted, because
 * unconditional writes that began before may still land.
 * @throws S3Error InvalidBucketState: object lock relies on versions
 */
export function withVersioning(record: BucketRecord, versioning: RequestedVersioning, now: number): BucketRecord {
  if (versioning === 'suspended' && record.settings.objectLock !== undefined) {
    throw new S3Error('InvalidBucketState', {
      message: 'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
    });
  }
  return { ...record, versioning, ...(record.versioning === 'never' && { versionedSince: now }) };
}
