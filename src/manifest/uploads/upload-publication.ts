import type { Call } from '../../observe/call.ts';
import { type WriteConditions, hasWriteConditions } from '../../protocol/conditions.ts';
import { StoreError } from '../../store/store-error.ts';
import { NOTHING, RING_LENGTH, carriesNonce } from '../heads/head-commit.ts';
import type { Head } from '../heads/head.ts';
import type { PublishOnce } from '../heads/object-requests.ts';
import { newUploadToken } from '../records/version-token.ts';
import { type Moment, elapsedSince, momentNow } from '../records/moment.ts';
import { timeOf } from '../records/time.ts';
import { type Claim, type StoredClaim, encodeClaim, readClaim, replaceClaim } from '../versions/upload-claim.ts';
import { type UploadTarget, noSuchUpload } from './upload-find.ts';
import { publishNonce } from '../records/upload-id.ts';
import { isPublished, placesOf, publishedPlace, stampedPlace } from './published-place.ts';
import { readTombstone } from '../versions/upload-tombstone.ts';
import { wasCompleted } from './upload-end.ts';

/** A claim this old is renewed before the head is written, so that no other request takes its owner for dead. */
const RENEW_AFTER_MS = 5 * 60_000;

/** A `PublishOnce`, and what is known when the publication has ended. */
interface OnceInDoubt extends PublishOnce {
  /** The claim as this request holds it now. */
  readonly claim: () => HeldClaim;
  /** Whether a head may name the blob although no answer says so. */
  readonly isInDoubt: () => boolean;
}

/** The claim as the request at hand holds it. */
export interface HeldClaim extends StoredClaim {
  /** When this process wrote the claim, by its own clocks. They decide when it has to be renewed. */
  readonly renewed: Moment;
  /** This request took the claim over. The one that held it before may have published without an answer. */
  readonly inherited: boolean;
}

interface Publication {
  readonly target: UploadTarget;
  readonly held: HeldClaim;
  readonly conditions: WriteConditions;
}

/**
 * Makes the publication happen once, however many requests attempt it and whatever answers were lost. Sometimes it
 * cannot be known whether an earlier attempt succeeded, because a plain PUT has replaced the head since the first
 * Complete began. Then a Complete without conditions is answered as if it had come just before that PUT, which no
 * client can tell from the truth. A Complete with conditions fails as of unknown outcome.
 */
export function publishOnce(publication: Publication, call: Call): OnceInDoubt {
  const { target } = publication;
  let { held } = publication;
  let inDoubt = false;
  let turns = 0;
  return {
    nonce: publishNonce(target.uploadId),
    claim: () => held,
    isInDoubt: () => inDoubt,
    onDoubt: () => {
      inDoubt = true;
    },
    happened: async (head) => {
      const happened = await hasHappened({ ...publication, held }, { head, isFirstTurn: turns++ === 0 }, call);
      if (happened) return publishedPlace(target, { head, claim: held.claim }, call);
      if (elapsedSince(held.renewed, timeOf(target.bucket.home)) > RENEW_AFTER_MS) {
        held = await renew(target, held, held.claim, call);
      }
      return undefined;
    },
    placeAt: newUploadToken,
    movesTo: async (place) => {
      const { claim } = held;
      if (claim.kind === 'abort') throw noSuchUpload(target.uploadId);
      const moved: Claim = {
        ...claim,
        places: [...(claim.places ?? []), place],
        completion: { ...claim.completion, versionId: place },
      };
      held = await renew(target, held, moved, call);
      return encodeClaim(moved);
    },
  };
}

async function hasHappened(
  { target, held, conditions }: Publication,
  { head, isFirstTurn }: { head: Head | undefined; isFirstTurn: boolean },
  call: Call,
): Promise<boolean> {
  const { claim } = held;
  if (isPublished(head, target.uploadId, claim)) return true;
  const base = claim.kind === 'abort' ? {} : claim.base;
  const alone = !held.inherited && isFirstTurn;
  if (head === undefined && base.revision === undefined) {
    // The head was absent before, which is no revision to rely on: the object may have been published and deleted. A
    // DELETE writes the tombstone first.
    return !alone && wasCompleted(target, call);
  }
  if (
    head?.properties.revision === base.revision ||
    (base.nonce !== undefined && carriesNonce(head?.record, base.nonce))
  ) {
    return false;
  }

  const now = await readClaim(target, call);
  // A request that takes over our publication has to change the claim first.
  if (!held.inherited && now?.revision === held.revision) return false;
  if (now?.claim.kind === 'gone' || now?.stamped === true) return true;
  if (now === undefined || now.claim.kind === 'abort') {
    if ((await readTombstone(target.bucket.home, target.uploadId, call)) !== undefined) return true;
    throw noSuchUpload(target.uploadId);
  }
  // In a bucket with versioning, a version that was displaced is stamped, and one that was deleted has left a
  // tombstone.
  if (target.bucket.versioning !== 'never') {
    const moved = placesOf(target.uploadId, now.claim).slice(0, -1);
    if (moved.length === 0) return false;
    return (await stampedPlace(target, moved, call)) !== undefined || wasCompleted(target, call);
  }
  return wasOverwritten(target, { head, conditions }, call);
}

/**
 * Whether the object was published and then replaced by a head that says nothing of it, in a bucket that never had
 * versioning. A plain PUT may have replaced it, which leaves no trace. A head that was written on condition that
 * nothing was there cannot have replaced it; only a DELETE can have come before that head, and it would have written
 * the tombstone.
 * @throws StoreError unavailable (lost): unknown
 */
async function wasOverwritten(
  target: UploadTarget,
  { head, conditions }: { head: Head | undefined; conditions: WriteConditions },
  call: Call,
): Promise<boolean> {
  const isConditional = hasWriteConditions(conditions);
  if (!isConditional && (head === undefined || carriesNonce(head.record, NOTHING))) {
    return wasCompleted(target, call);
  }
  // A full ring may have dropped nonces. What lies behind it may be another conditional write, and not the plain PUT.
  if (!isConditional && (head?.record?.ring?.length ?? 0) < RING_LENGTH) return true;
  throw new StoreError('unavailable', { call: 'write', code: 'OutcomeUnknown', lost: true });
}

/** Writes the claim again, so that it counts as young. @throws StoreError throttled: another request holds it by now */
async function renew(target: UploadTarget, held: HeldClaim, claim: Claim, call: Call): Promise<HeldClaim> {
  const renewed = await replaceClaim(target, held, claim, call);
  if (renewed === undefined) throw new StoreError('throttled', { call: 'setMetadata', code: 'UploadTakenOver' });
  return { ...held, ...renewed, renewed: momentNow(timeOf(target.bucket.home)) };
}
