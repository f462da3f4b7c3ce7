import type { Call } from '../../observe/call.ts';
import { type BlobMetadata, type Revision, at } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { nativeIn, recordIn } from '../records/metadata.ts';
import { RECORD_NAME, asOwn, encodeRecord } from '../records/record.ts';
import { versionRef } from '../records/version-names.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { Head } from '../heads/head.ts';
import { versionRecordOf } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/**
 * Writes on a version's own blob that it was current once, or committed below the head: from then on it is
 * visible whatever the head says, until a head says that it is deleted. Idempotent; a version that is gone is left
 * alone.
 */
export async function stampVersion({ bucket, key }: KeyRef, token: VersionToken, call: Call): Promise<void> {
  const { store } = bucket.home;
  const ref = versionRef({ bucket, key }, token);
  await inTurns(TURNS.stamp, async () => {
    try {
      const { metadata, revision } = await store.head(ref, call);
      const stamped = withStamp(metadata);
      return stamped && (await store.setMetadata(ref, stamped, at(revision), call));
    } catch (error) {
      if (isStoreError(error, 'notFound')) return undefined;
      if (!isStoreError(error, 'conditionFailed') && !(isStoreError(error) && error.lost)) throw error;
      return AGAIN;
    }
  });
}

/**
 * The same for the version that a link or marker names: one call, unless its record has changed since the head was
 * written.
 */
export async function stampCurrent(place: KeyRef, { record, properties }: Head, call: Call): Promise<void> {
  if (record?.kind !== 'link' && record?.kind !== 'marker') return;
  if (record.stamp === true) return;
  if (record.rev !== undefined) {
    const metadata = {
      ...nativeIn(properties.metadata),
      [RECORD_NAME]: encodeRecord({ ...versionRecordOf(record), stamp: true }),
    };
    try {
      await place.bucket.home.store.setMetadata(
        versionRef(place, record.version),
        metadata,
        at(record.rev as Revision),
        call,
      );
      return;
    } catch (error) {
      if (!isStoreError(error, 'conditionFailed', 'notFound') && !(isStoreError(error) && error.lost)) throw error;
    }
  }
  await stampVersion(place, record.version, call);
}

/**
 * Writes a version's own blob anew as it is, so that it counts as young.
 * @throws StoreError conditionFailed: it has changed, or gone
 */
export async function touchVersion({ bucket, key }: KeyRef, token: VersionToken, call: Call): Promise<Revision> {
  const { store } = bucket.home;
  const ref = versionRef({ bucket, key }, token);
  try {
    const { metadata, revision } = await store.head(ref, call);
    return (await store.setMetadata(ref, metadata, at(revision), call)).revision;
  } catch (error) {
    throw isStoreError(error, 'notFound')
      ? new StoreError('conditionFailed', { call: 'setMetadata', cause: error })
      : error;
  }
}

/** @returns undefined when it is stamped, or nothing that could be */
function withStamp(metadata: BlobMetadata): BlobMetadata | undefined {
  const record = recordIn(metadata);
  if (record === undefined || record.stamp === true || record.isNull === true) return undefined;
  return { ...metadata, [RECORD_NAME]: encodeRecord({ ...asOwn(record), stamp: true }) };
}
