import type { Call } from '../../observe/call.ts';
import { isKept } from '../../protocol/object-lock.ts';
import type { BlobMetadata, RemoveItem, Revision } from '../../store/blob-store.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { isStoreError } from '../../store/store-error.ts';
import { recordIn } from '../records/metadata.ts';
import type { LooseRecord, OwnRecord } from '../records/record.ts';
import { versionRef } from '../records/version-names.ts';
import { type VersionToken, isUploadToken } from '../records/version-token.ts';
import { decodeClaim, mayLandLate, sealDeleted, sealVersion } from './upload-claim.ts';
import type { Head } from '../heads/head.ts';
import type { KeyRef } from '../records/key-ref.ts';

/**
 * Whether object lock now keeps callers without the bypass from removing a version. That is in the record itself, even
 * if the rest of it has an overflow blob. Every remover asks this, except DELETE by id, which judges the permissions of
 * its client.
 * @param now milliseconds since the epoch
 */
export function isLocked(record: OwnRecord | LooseRecord | undefined, now: number): boolean {
  return record !== undefined && 'lock' in record && isKept(record.lock, { now, bypass: false });
}

/**
 * Why a version's own blob may go. There are no others, and each is made of what proves it:
 * a lock binds all but a change of the key that was judged and is committed.
 */
export class RemovalReason {
  /** Undefined: they hold for every version. */
  readonly #tokens: readonly VersionToken[] | undefined;
  /** Undefined: a lock does not matter. Else whether one keeps the blob at this time, milliseconds since the epoch. */
  readonly #lockedFrom: number | undefined;
  /** Whether what they allow depends on the state of the blob. */
  readonly needRecord: boolean;

  private constructor(tokens: readonly VersionToken[] | undefined, lockedFrom?: number) {
    this.#tokens = tokens;
    this.#lockedFrom = lockedFrom;
    this.needRecord = lockedFrom !== undefined;
  }

  /**
   * A head that was read says so in its log: a committed change of the key let go of it, and looked at its lock before.
   */
  static loggedIn(head: Head | undefined): RemovalReason {
    return new RemovalReason(head?.record?.dels ?? []);
  }

  /**
   * A change of the key by this request is committed, and lets go of it. Its lock was looked at, or its bytes lie at
   * the key now.
   */
  static committed(token: VersionToken): RemovalReason {
    return new RemovalReason([token]);
  }

  /** This request brought it into being, and no head write that names it can have happened. */
  static neverNamed(token: VersionToken): RemovalReason {
    return new RemovalReason([token]);
  }

  /** No head names it, as far as is known, and it is old. A lock keeps it. @param now milliseconds since the epoch */
  static unnamed(now: number): RemovalReason {
    return new RemovalReason(undefined, now);
  }

  /** @param record of the state that would be removed */
  allow(token: VersionToken, record: OwnRecord | LooseRecord | undefined): boolean {
    if (this.#tokens?.includes(token) === false) return false;
    return this.#lockedFrom === undefined || !isLocked(record, this.#lockedFrom);
  }
}

/**
 * Removes a version's own blob that no reader looks at any more, with what was staged for it. Its name is used once, so
 * where the grounds hold whatever it says there is no revision to be kept. Idempotent.
 * @returns false when it must stay
 */
export async function removeVersionBlob(
  { bucket, key }: KeyRef,
  token: VersionToken,
  grounds: RemovalReason,
  call: Call,
): Promise<boolean> {
  const { store } = bucket.home;
  const ref = versionRef({ bucket, key }, token);
  try {
    const judged = grounds.needRecord ? await store.head(ref, call) : undefined;
    const record = judged === undefined ? undefined : recordIn(judged.metadata);
    if (!grounds.allow(token, record)) return false;
    if (!(await forgetUpload({ bucket, key }, token, call))) {
      // The claim tells requests that still work for the upload what its absence would tell them.
      await sealDeleted({ bucket, key, token }, call);
      return false;
    }
    await store.remove(ref, judged?.revision, call);
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
  }
  return true;
}

/**
 * Removes a blob that a commit brought into being at a place that it gave up, or was refused: no head write that names
 * it can have happened. What it says of an upload is not true, so nothing of it is written down. Idempotent.
 */
export async function removeUnnamed({ bucket, key }: KeyRef, token: VersionToken, call: Call): Promise<void> {
  try {
    await bucket.home.store.remove(versionRef({ bucket, key }, token), undefined, call);
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
  }
}

/** A version's own blob as it was listed or read. */
interface KnownBlob {
  readonly token: VersionToken;
  readonly record: OwnRecord | undefined;
  readonly revision: Revision;
}

/**
 * The same for one whose state is known: it goes at that revision, or not at all.
 * @throws StoreError conditionFailed, notFound
 */
export async function removeKnownBlob(
  { bucket, key }: KeyRef,
  known: KnownBlob,
  grounds: RemovalReason,
  call: Call,
): Promise<boolean> {
  if (!grounds.allow(known.token, known.record)) return false;
  await bucket.home.store.remove(versionRef({ bucket, key }, known.token), known.revision, call);
  return true;
}

/**
 * The blob may hold the only note of how an upload ended, and parts may be staged for it.
 * @returns false when it must stay
 */
async function forgetUpload(place: KeyRef, token: VersionToken, call: Call): Promise<boolean> {
  if (!isUploadToken(token)) return true;
  const mayGo = await sealVersion({ ...place, token }, call);
  await place.bucket.home.store.discardParts(versionRef(place, token), call);
  return mayGo;
}

/** A blob whose upload, if it is of one, has its end written down from this very state of it. */
interface SealedBlob {
  readonly token: VersionToken;
  readonly metadata: BlobMetadata;
  readonly revision: Revision;
  /** Other blobs of the system container that go, in the same call if there is one. */
  readonly along: readonly RemoveItem[];
}

/**
 * Removes what a committed change of the key let go of, as it was when it was sealed, without another look; and what
 * goes along with it, whether that stays or not.
 * @returns false when it was changed since, or must stay: `removeVersionBlob` looks again
 */
export async function removeSealed(
  place: KeyRef,
  { token, metadata, revision, along }: SealedBlob,
  call: Call,
): Promise<boolean> {
  const { store } = place.bucket.home;
  if (isUploadToken(token)) {
    if (mayLandLate(decodeClaim(metadata), recordIn(metadata))) {
      await removeForGood(place.bucket.home, along, call);
      return false;
    }
    // Where the service keeps what is staged to itself, it went when the parts were assembled.
    if (store.staged !== undefined) await store.discardParts(versionRef(place, token), call);
  }
  if (along.length > 0) {
    const { name } = versionRef(place, token);
    const outcomes = await removeForGood(place.bucket.home, [...along, { name, revision }], call);
    return outcomes.at(-1) !== 'conditionFailed';
  }
  try {
    return await removeKnownBlob(place, { token, record: undefined, revision }, RemovalReason.committed(token), call);
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed', 'notFound')) throw error;
    return error.kind === 'notFound';
  }
}
