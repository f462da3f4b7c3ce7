import { S3Error } from '../../errors/s3-error.ts';
import type { ObjectView } from '../../manifest/index.ts';

/** What an object says of where it lies: the class it was given, else what its bytes' tier amounts to. */
export function storageClassOf({ storageClass, archived }: Pick<ObjectView, 'storageClass' | 'archived'>): string {
  return storageClass ?? (archived ? ARCHIVE : 'STANDARD');
}

/** The class whose objects S3 has to restore before they can be read. */
const ARCHIVE = 'GLACIER';

/**
 * Refuses to read bytes that the backend moved to an offline tier: an operator must bring them back there first.
 * @throws S3Error InvalidObjectState
 */
export function requireReadable(view: ObjectView): void {
  if (view.archived) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: storageClassOf(view) } });
  }
}
