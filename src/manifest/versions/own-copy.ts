import type { Call } from '../../observe/call.ts';
import {
  ABSENT,
  type BlobMetadata,
  type BlobRef,
  type BlobStore,
  type CopyRequest,
  type Revision,
  type WriteResult,
} from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { versionRef } from '../records/version-names.ts';
import { type VersionToken, seqOfToken } from '../records/version-token.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import type { WrittenObject } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** A copy to a private name that is used once. */
export type OwnCopy = Omit<CopyRequest, 'condition'> & { readonly target: BlobRef };

/**
 * Copies to a private blob, of any size and with any headers: in one call where the service has one, else in parts
 * that are assembled there. Create-if-absent.
 * @throws StoreError conditionFailed, sourceNotFound, sourceConditionFailed, partsGone
 */
export async function copyToOwn(store: BlobStore, { target, ...request }: OwnCopy, call: Call): Promise<WriteResult> {
  if (request.size <= store.capabilities.maxCopy) {
    try {
      return await store.copy(target, { ...request, condition: ABSENT }, call);
    } catch (error) {
      if (!isStoreError(error, 'tooLarge')) throw error;
    }
  }
  return stageToOwn(store, { target, ...request }, call);
}

/** The same, in parts. */
export async function stageToOwn(
  store: BlobStore,
  { target, source, size, headers, metadata, md5, tier }: OwnCopy,
  call: Call,
): Promise<WriteResult> {
  const { tokens } = await store.stagePartFrom(target, source, { first: 0, last: size - 1 }, call);
  return store.assemble(
    target,
    {
      tokens,
      headers,
      metadata,
      ...(md5 !== undefined && { md5 }),
      ...(tier !== undefined && { tier }),
      condition: ABSENT,
    },
    call,
  );
}

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
