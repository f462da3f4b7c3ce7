import type { BlobMetadata, BlobStore, Tier } from '../../store/blob-store.ts';
import { plainStore } from '../../store/wrap-store.ts';
import { type LooseRecord, RECORD_NAME, tryDecodeRecord } from '../records/record.ts';
import { type StorageClasses, tierOfClass } from '../records/storage-classes.ts';

interface Tierable {
  readonly metadata: BlobMetadata;
  readonly tier?: Tier;
}

/**
 * A store that sends with every blob the tier that its record asks for, so that no write of an object can forget it.
 * Azure keeps the tier of what is replaced where a write names none: a head that was cool would stay cool.
 */
export function tieredStore(store: BlobStore, classes: StorageClasses): BlobStore {
  const tiered = <R extends Tierable>(request: R): R => {
    const tier = request.tier ?? tierOfBlob(request.metadata, classes);
    return tier === undefined ? request : { ...request, tier };
  };
  const plain = plainStore(store);
  return {
    ...plain,
    write: (ref, body, request, call) => plain.write(ref, body, tiered(request), call),
    copy: (ref, request, call) => plain.copy(ref, tiered(request), call),
    assemble: (ref, request, call) => plain.assemble(ref, tiered(request), call),
  };
}

/** @returns undefined for what is neither a head nor a version: the account decides */
function tierOfBlob(metadata: BlobMetadata, classes: StorageClasses): Tier | undefined {
  const text = metadata[RECORD_NAME];
  const record = text === undefined ? undefined : tryDecodeRecord(text);
  return record && tierOfRecord(record, classes);
}

/** An archived blob cannot be changed, and records change: what has a record is never archived. */
function tierOfRecord({ kind, encryption, storageClass }: LooseRecord, classes: StorageClasses): Tier {
  if (kind !== 'inline' || encryption !== undefined) return 'hot';
  const tier = tierOfClass(classes, storageClass);
  return tier === 'archive' ? 'hot' : tier;
}
