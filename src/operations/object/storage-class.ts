import { S3Error } from '../../errors/s3-error.ts';
import {
  type Bucket,
  type EncryptWith,
  type KeepApart,
  type ObjectTarget,
  type ObjectView,
  storageClassOf,
  tierOfClass,
} from '../../manifest/index.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import type { OperationContext } from '../operation.ts';

const STANDARD = 'STANDARD';

/** An object as it is once its restore was looked at, if one runs. */
export function asRestored(
  { bucket, key, versionId }: ObjectTarget,
  view: ObjectView,
  { manifest, call }: OperationContext,
): Promise<ObjectView> {
  return manifest.objects.finishRestore({ bucket, key, versionId }, view, call);
}

/**
 * Refuses to read bytes that are in an offline tier, or that have to be restored first.
 * @throws S3Error InvalidObjectState
 */
export function requireReadable(view: ObjectView): void {
  if (view.archived) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: storageClassOf(view) } });
  }
}

/**
 * How the bytes of a new object are to be kept apart from its record: encrypted as it was asked for, or archived.
 * @throws S3Error NotImplemented: both. Azure archives nothing that is under an encryption scope, and brings nothing
 * back that is under a customer's key
 */
export function keptApart(
  { storageClass }: { readonly storageClass?: string | undefined },
  encryptWith: EncryptWith | undefined,
  { home }: Bucket,
): KeepApart | undefined {
  if (home.classes === undefined || tierOfClass(home.classes, storageClass) !== 'archive') return encryptWith;
  if (encryptWith === undefined) return { kind: 'archive' };
  throw new S3Error('NotImplemented', {
    extra: { additionalMessage: 'objects under a key of their own cannot be archived' },
  });
}

/** The class that the operator wants for objects whose request names none; nothing for STANDARD. */
export function classByDefault(headers: HeaderReader, { name, home }: Bucket): { storageClass?: string } {
  if (home.classes === undefined || headers.get('x-amz-storage-class') !== undefined) return {};
  const storageClass = home.classes.defaultOf(name);
  return storageClass === STANDARD ? {} : { storageClass };
}
