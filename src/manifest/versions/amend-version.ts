import type { Call } from '../../observe/call.ts';
import { at } from '../../store/blob-store.ts';
import { type StoreError, isStoreError, mayHaveHappened } from '../../store/store-error.ts';
import { newNonce } from '../records/clock.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { claimIn, nativeIn } from '../records/metadata.ts';
import { type VersionToken, isVersionToken } from '../records/version-token.ts';
import { type Announced, announce, confirm } from '../heads/announce.ts';
import { amendHead } from '../heads/head-amend.ts';
import { outcomeUnknown } from '../heads/commit-life.ts';
import { RING_LENGTH } from '../heads/head-commit.ts';
import { type Head, NULL_VERSION, recordIsHere } from '../heads/head.ts';
import { type AmendedFields, type ObjectAmendment, amended, toldOf } from './object-amendment.ts';
import type { ObjectsContext } from './object-context.ts';
import { readHead } from '../heads/object-read.ts';
import type { ObjectTarget } from '../heads/object-requests.ts';
import type { OwnObject } from '../records/record.ts';
import type { ObjectView } from '../records/object-view.ts';
import { markerNamed, noSuchVersion } from './delete-marker-errors.ts';
import { nullBlobOf, seqOfHead } from './displace.ts';
import { placedRecord } from './drain-window.ts';
import { currentVersion, objectOf } from './find-version.ts';
import { type KnownVersion, amendmentsOf, isVisible, readVersion, versionIdOf } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { keepsMore } from '../../protocol/object-lock.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

interface AmendTarget extends ObjectTarget {
  /** The head, if it has just been read. */
  readonly seen?: { readonly head: Head | undefined };
}

/**
 * The outcome of an amendment: the version as it was before, or the version to look for again, beginning with the head.
 */
interface AmendOutcome {
  readonly view?: ObjectView;
  readonly versionId?: string | undefined;
}

/** Changes what is said of a version that has a blob of its own: by that blob's metadata, on its revision. */
export async function amendVersion(
  context: ObjectsContext,
  target: AmendTarget,
  amendment: ObjectAmendment,
  call: Call,
): Promise<AmendOutcome> {
  const { bucket, key } = target;
  let { versionId } = target;
  const nonce = newNonce();
  let unanswered: Unanswered | undefined;
  const take = async (turn: number): Promise<AmendOutcome | typeof AGAIN> => {
    const known = turn === 0 ? target.seen : undefined;
    const { head } = known ?? { head: await orUnknown(readHead({ bucket, key }, call), unanswered) };
    if (recordIsHere(head) && (versionId ?? NULL_VERSION) === NULL_VERSION) {
      // It is said in the head by now, or another null version is there.
      if (unanswered !== undefined) throw outcomeUnknown(unanswered.error);
      return { versionId };
    }
    const version = await orUnknown(versionOf(context, { bucket, key, versionId, head }, call), unanswered);
    if (version === undefined) {
      if (versionId === undefined || (await hasMoved(target, head, call))) return AGAIN;
      throw unanswered === undefined ? noSuchVersion(key, versionId) : outcomeUnknown(unanswered.error);
    }
    if (unanswered !== undefined) {
      const { view: before, fields } = unanswered;
      if (ringOf(version).includes(nonce)) {
        await confirm(bucket, unanswered.announced, call);
        return finished(context, target, { version, before, fields }, call);
      }
      if (!isProvenUndone(version, unanswered)) throw outcomeUnknown(unanswered.error);
    }
    const view = objectOf(version, target);
    const fields = amendment(view);
    if (fields === undefined) return { view };
    const own = amendmentsOf(version);
    const change = { ...toldOf(view, fields), nonce, head, own, seq: seqOfHead(head) };
    const announced = await announce({ bucket, key }, change, call);
    const result = await rewrite(target, { version, fields, nonce }, call);
    if (result === 'done') {
      await confirm(bucket, announced, call);
      return finished(context, target, { version, before: view, fields }, call);
    }
    if (result === 'moved') return AGAIN;
    // It may have been changed already: no other version may be taken for it from now on.
    unanswered = { error: result, view, fields, announced, ...own };
    versionId = versionIdOf(version);
    return AGAIN;
  };
  return inTurns(TURNS.amend, take, () => unanswered && outcomeUnknown(unanswered.error));
}

/** A change whose answer was lost. */
interface Unanswered {
  readonly error: StoreError;
  /** What it was made to, and what it said. */
  readonly view: ObjectView;
  readonly fields: AmendedFields;
  readonly announced: Announced | undefined;
  readonly token: VersionToken;
  /** Nonces that the blob carried before it. */
  readonly ring: readonly string[];
}

/**
 * It did not happen, for its nonce is not there where it would be; and cannot any more if the blob has changed, for it
 * was made on a revision; if that still stands, it is made once more on the same. No proof when the nonces of more
 * changes than are kept may have come in between.
 */
function isProvenUndone(version: KnownVersion, { token: before, ring }: Unanswered): boolean {
  const now = ringOf(version);
  const [last] = ring;
  return version.token === before && (last === undefined ? now.length < RING_LENGTH : now.includes(last));
}

function ringOf(version: KnownVersion): readonly string[] {
  return amendmentsOf(version).ring;
}

/** If an earlier answer was lost and the look for its outcome fails as well, the outcome is unknown. */
async function orUnknown<T>(looking: Promise<T>, unanswered: Unanswered | undefined): Promise<T> {
  try {
    return await looking;
  } catch (error) {
    if (unanswered === undefined) throw error;
    throw outcomeUnknown(new AggregateError([unanswered.error, error]));
  }
}

interface Finished {
  readonly version: KnownVersion;
  readonly before: ObjectView;
  readonly fields: AmendedFields;
}

async function finished(
  context: ObjectsContext,
  target: ObjectTarget,
  { version, before, fields }: Finished,
  call: Call,
): Promise<AmendOutcome> {
  if (fields.lock === undefined || (await isHeld(context, target, version, call))) return { view: before };
  // It is deleted. The deletion may have relied on a lock that was taken off, so that was done; one that was put on
  // came too late for it.
  if (!keepsMore(fields.lock, before.lock ?? {})) return { view: before };
  if (target.versionId !== undefined) throw noSuchVersion(target.key, version.token);
  // It was the current version no more: another is meant, or none.
  return { versionId: undefined };
}

interface Looked extends ObjectTarget {
  readonly head: Head | undefined;
}

/** @returns undefined when it is not there, or not part of the history. @throws S3Error NoSuchKey */
async function versionOf(
  context: ObjectsContext,
  { bucket, key, versionId, head }: Looked,
  call: Call,
): Promise<KnownVersion | undefined> {
  if (versionId === undefined) return currentVersion(context, { bucket, key, head }, call);
  const token = versionId === NULL_VERSION ? nullBlobOf(head) : versionId;
  const version =
    token === undefined || !isVersionToken(token) ? undefined : await readVersion({ bucket, key }, token, call);
  if (version === undefined || !isVisible(head, version)) return undefined;
  return versionId !== NULL_VERSION && version.record.isNull === true ? undefined : version;
}

async function hasMoved({ bucket, key }: KeyRef, head: Head | undefined, call: Call): Promise<boolean> {
  return (await readHead({ bucket, key }, call))?.properties.revision !== head?.properties.revision;
}

interface Rewrite {
  readonly version: KnownVersion;
  readonly fields: AmendedFields;
  /** Goes into the ring of the blob: the proof that this change was made, whatever came after it. */
  readonly nonce: string;
}

/** @returns `moved` when the blob has changed since it was read; the error when its answer was lost */
async function rewrite(
  target: ObjectTarget,
  { version, fields, nonce }: Rewrite,
  call: Call,
): Promise<'done' | 'moved' | StoreError> {
  const { home } = target.bucket;
  const { record: before } = version;
  if (before.kind === 'marker') throw markerNamed(version);
  const { metadata } = version.properties;
  const record: OwnObject = { ...amended(before, fields), ring: [nonce, ...(before.ring ?? [])].slice(0, RING_LENGTH) };
  const now = { ...(await blobMetadata(home, record, nativeIn(metadata), call)), ...claimIn(metadata) };
  try {
    await home.store.setMetadata(version.ref, now, at(version.properties.revision), call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed', 'notFound')) return 'moved';
    if (isStoreError(error) && mayHaveHappened(error)) return error;
    throw error;
  }
  return 'done';
}

/**
 * A lock must not be acknowledged on a version that is being deleted. The request that deletes it has read the head
 * before the version; so the head is written once more, unchanged. Either that fails the deletion, or the deletion
 * shows: in the head's log, or, when that is done, by the version being gone.
 * @returns false when it is deleted
 */
async function isHeld(
  context: ObjectsContext,
  { bucket, key }: KeyRef,
  version: KnownVersion,
  call: Call,
): Promise<boolean> {
  const stamped = { ...version, record: { ...version.record, stamp: true } };
  const found = { isPart: true };
  await amendHead(
    {
      bucket,
      key,
      change: async (head) => {
        if (head === undefined) return undefined;
        found.isPart = isVisible(head, stamped);
        return found.isPart ? placedRecord(context, { bucket, key }, head, call) : undefined;
      },
    },
    call,
  );
  return found.isPart && (await readVersion({ bucket, key }, version.token, call)) !== undefined;
}
