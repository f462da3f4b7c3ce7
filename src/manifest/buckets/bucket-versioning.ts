import { S3Error } from '../../errors/s3-error.ts';
import type { Versioning } from '../records/bucket.ts';
import type { BucketRecord } from '../records/bucket-record.ts';

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
