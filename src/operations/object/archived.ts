import { S3Error } from '../../errors/s3-error.ts';
import type { ObjectView } from '../../manifest/records/object-view.ts';

/**
 * Bytes that the backend moved to an offline tier cannot be read before they are brought back there.
 * @throws S3Error InvalidObjectState
 */
export function requireReadable(view: ObjectView): void {
  if (view.archived) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: view.storageClass ?? 'GLACIER' } });
  }
}
