import type { Call } from '../../observe/call.ts';
import { hasWriteConditions, judgeWrite } from '../../protocol/conditions.ts';
import type { Revision } from '../../store/blob-store.ts';
import { isStoreError, mayHaveHappened } from '../../store/store-error.ts';
import { sealDeleted } from '../versions/upload-claim.ts';
import { announce, isWatched, withdraw, withdrawRemoval } from '../heads/announce.ts';
import { outcomeUnknown } from '../heads/commit-life.ts';
import { refusal, requireClient, requireUnversioned } from '../heads/head-commit.ts';
import { headToChange } from '../heads/head-memory.ts';
import { type Head, NULL_VERSION } from '../heads/head.ts';
import { listedHead } from '../heads/heads-of-keys.ts';
import { newNonce } from '../records/clock.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { namedVersion } from '../records/record.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { liveView, readHead } from '../heads/object-read.ts';
import type { ObjectTarget, RemoveRequest, Removed } from '../heads/object-requests.ts';
import { discardPieces } from '../versions/settle.ts';
import { seqOfHead } from '../versions/displace.ts';
import { createMarker } from '../versions/create-marker.ts';
import { removeVersion } from '../versions/remove-version.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/**
 * Removes an object. Without a version id, a bucket that ever had versioning gets a delete marker; with one, that
 * version is removed for good.
 */
export async function removeObject(
  context: ObjectsContext,
  target: ObjectTarget,
  request: RemoveRequest,
  call: Call,
): Promise<Removed> {
  const { bucket, versionId } = target;
  if (bucket.versioning === 'never') return removeUnversioned(context, target, request, call);
  return versionId === undefined
    ? createMarker(context, target, request, call)
    : removeVersion(context, { ...target, versionId }, request, call);
}

/** A removal whose answer got lost. It may have removed this state of the head. */
interface Unanswered {
  readonly revision: Revision;
  readonly error: unknown;
}

/**
 * DELETE in a bucket that never had versioning: it reads the head, then removes it on its revision. The removal is
 * never unconditional, because a replica with a stale bucket record would destroy a versioned head. Where keys are
 * removed one after the other, the head is one that a listing has shown before (`HeadMemory.ahead`).
 */
async function removeUnversioned(
  context: ObjectsContext,
  target: ObjectTarget,
  request: RemoveRequest,
  call: Call,
): Promise<Removed> {
  const { bucket, key, versionId = NULL_VERSION } = target;
  const { conditions, guard, removals } = request;
  const place = { bucket, key };
  const nothing: Removed = { deleteMarker: false };
  if (versionId !== NULL_VERSION) return nothing;
  const nonce = newNonce();
  let unanswered: Unanswered | undefined;
  /** A conditional delete of nothing succeeds as well. */
  const foundNothing = async (): Promise<Removed> => {
    if (unanswered === undefined) await withdrawRemoval(place, call);
    return nothing;
  };
  const turn = async (n: number): Promise<Removed | typeof AGAIN> => {
    if (unanswered === undefined) requireClient(call);
    const head =
      n === 0 ? await firstHead(context, target, request, call) : await headToRemove(place, unanswered, call);
    requireUnversioned(bucket, head);
    const view = liveView({ bucket, key }, head);
    if (head === undefined || view === undefined) return foundNothing();
    judgeWrite(conditions, view, key);
    guard?.(view);
    const token = namedVersion(head.record);
    if (token !== undefined) await sealDeleted({ ...place, token }, call);
    await announce(place, { kind: 'removed', nonce, head, leavesNothing: true, seq: seqOfHead(head) }, call);
    try {
      const { revision } = head.properties;
      await (removals === undefined
        ? bucket.home.store.remove(head.ref, revision, call)
        : removals.remove(head.ref.name, revision, call));
    } catch (error) {
      if (isStoreError(error, 'notFound')) return foundNothing();
      const isLost = mayHaveHappened(error);
      if (unanswered === undefined && !isLost && !isStoreError(error, 'conditionFailed')) throw error;
      // If a removal that was sent again fails, its answer counts as lost, too.
      if (isLost || unanswered !== undefined) unanswered = { revision: head.properties.revision, error };
      else if (hasWriteConditions(conditions)) throw await refusal({ ...place, conditions }, error, call);
      return AGAIN;
    }
    if (token !== undefined) context.settler.discard(place, token);
    if (view.encryption !== undefined) discardPieces(context.settler, place, view);
    return nothing;
  };
  try {
    return await inTurns(TURNS.remove, turn, () => unanswered && outcomeUnknown(unanswered.error));
  } catch (error) {
    if (unanswered === undefined) withdraw(place, context.settler, call);
    throw error;
  }
}

async function firstHead(
  { memory }: ObjectsContext,
  { bucket, key }: ObjectTarget,
  { conditions, listing }: RemoveRequest,
  call: Call,
): Promise<Head | undefined> {
  const place = { bucket, key };
  // What is announced must have been there since the request came: nobody could tell who removed it otherwise.
  const recall = listing === undefined && !isWatched(place) ? () => memory.ahead(place, 'removals') : undefined;
  return (await headToChange({ ...place, conditions, known: listedHead(listing, key), recall }, call)).head;
}

/** @throws StoreError (outcome unknown) when the head may have come after the one that was removed */
async function headToRemove(
  { bucket, key }: KeyRef,
  unanswered: Unanswered | undefined,
  call: Call,
): Promise<Head | undefined> {
  const head = await readHead({ bucket, key }, call).catch((error: unknown) => {
    throw unanswered === undefined ? error : outcomeUnknown(new AggregateError([unanswered.error, error]));
  });
  if (unanswered !== undefined && head !== undefined && head.properties.revision !== unanswered.revision) {
    throw outcomeUnknown(unanswered.error);
  }
  return head;
}
