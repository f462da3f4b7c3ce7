import { S3Error } from '../../errors/s3-error.ts';
import type { ObjectView } from '../../manifest/records/object-view.ts';

/**
 * Refuses to read bytes that the backend moved to an offline tier: somebody must bring them back there first. @throws
 * S3Error InvalidObjectState
 */
export function requireReadable(view: ObjectView): void {
  if (view.archived) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: view.storageClass ?? 'GLACIER' } });
  }
}
