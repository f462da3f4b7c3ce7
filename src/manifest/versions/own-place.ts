import type { Call } from '../../observe/call.ts';
import type { BlobMetadata, Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { versionRef } from '../records/version-names.ts';
import { type VersionToken, seqOfToken } from '../records/version-token.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import { copyToOwn } from './own-copy.ts';
import type { WrittenObject } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** A version that was overtaken by one that came under a condition, and needs a place above it. */
export interface PlaceChange {
  readonly from: VersionToken;
  readonly to: VersionToken;
  /** What lies at its old place. */
  readonly written: WrittenObject;
}

/**
 * Copies a version's own blob to another place, server-side: for bytes that the gateway does not have any more.
 * @param beside what else is to stand on the new blob
 * @throws StoreError sourceNotFound, sourceConditionFailed: the old blob is not what it was
 */
export async function copyToPlace(
  place: KeyRef,
  { from, to, written }: PlaceChange,
  beside: BlobMetadata,
  call: Call,
): Promise<WrittenObject> {
  const { bucket, key } = place;
  const { store } = bucket.home;
  const [source, target] = [versionRef({ bucket, key }, from), versionRef({ bucket, key }, to)];
  const { size, native, headers } = written;
  const record = { ...written.record, seq: seqOfToken(to) };
  const metadata = { ...(await blobMetadata(bucket.home, record, native, call)), ...beside };
  const revision = written.revision ?? (await store.head(source, call)).revision;
  const copied = await whileStreaming(call, async (client): Promise<Revision> => {
    try {
      return (await copyToOwn(store, { target, source: { ...source, revision }, size, headers, metadata }, client))
        .revision;
    } catch (error) {
      // Its name is ours alone: our own copy, of which the answer was lost.
      if (isStoreError(error, 'conditionFailed')) return (await store.head(target, call)).revision;
      throw error;
    }
  });
  // What stands beside the record is nothing that a head repeats.
  return { record, size, native, headers, ...(Object.keys(beside).length === 0 && { revision: copied }) };
}
