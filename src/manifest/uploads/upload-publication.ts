import type { Call } from '../../observe/call.ts';
import { type WriteConditions, hasWriteConditions } from '../../protocol/conditions.ts';
import { StoreError } from '../../store/store-error.ts';
import { carriesNonce, versionNonce } from '../objects/head-commit.ts';
import type { Head } from '../objects/head.ts';
import type { PublishOnce } from '../objects/object-requests.ts';
import { timeOf } from '../records/time.ts';
import { type ClaimBase, type StoredClaim, readClaim, replaceClaim } from './upload-claim.ts';
import { type UploadTarget, noSuchUpload } from './upload-find.ts';
import { publishNonce, versionOfUpload } from './upload-id.ts';
import { readTombstone } from './upload-tombstone.ts';

/** A claim this old is renewed before the head is written, so that nobody takes its owner for dead. */
const RENEW_AFTER_MS = 5 * 60_000;

/** The claim as the request at hand holds it. */
export interface HeldClaim extends StoredClaim {
  /** Another request held it before, which may have published and not said so. */
  readonly inherited: boolean;
}

export interface Publication {
  readonly target: UploadTarget;
  readonly held: HeldClaim;
  readonly conditions: WriteConditions;
}

/**
 * True when a head says that the upload's blob was published: it names it, as whatever version, or it
 * carries the nonce of that write. Its silence proves nothing: a plain PUT keeps no nonces.
 */
export function isPublished(head: Head | undefined, uploadId: string): boolean {
  if (head?.record === undefined) return false;
  const { version, nullVersion, adds = [], dels = [] } = head.record;
  return [version, nullVersion, ...adds, ...dels].includes(versionOfUpload(uploadId)) || carriesNonce(head.record, publishNonce(uploadId));
}

/** Remembers the head that a Complete judged. */
export function baseOf(head: Head | undefined): ClaimBase {
  if (head === undefined) return {};
  return { revision: head.properties.revision, nonce: versionNonce(head) };
}

/**
 * Makes the publication happen once, however many requests attempt it and whatever became of their
 * answers. When it cannot be known any more whether an earlier attempt succeeded, something has been
 * written over the key since the first Complete began; then the Complete counts as having come just
 * before that, which nobody can tell from the truth. A conditional one cannot be answered so.
 */
export function publishOnce(publication: Publication, call: Call): PublishOnce & { readonly isInDoubt: () => boolean } {
  let { held } = publication;
  let inDoubt = false;
  let turns = 0;
  return {
    nonce: publishNonce(publication.target.uploadId),
    isInDoubt: () => inDoubt,
    onDoubt: () => {
      inDoubt = true;
    },
    happened: async (head) => {
      const happened = await hasHappened({ ...publication, held }, { head, isFirstTurn: turns++ === 0 }, call);
      if (!happened && timeOf(publication.target.bucket.home).now() - held.since > RENEW_AFTER_MS) held = await renew(publication.target, held, call);
      return happened;
    },
  };
}

async function hasHappened(
  { target, held, conditions }: Publication,
  { head, isFirstTurn }: { head: Head | undefined; isFirstTurn: boolean },
  call: Call,
): Promise<boolean> {
  const { home } = target.bucket;
  const { claim } = held;
  if (isPublished(head, target.uploadId)) return true;
  const base = claim.kind === 'abort' ? {} : claim.base;
  const alone = !held.inherited && isFirstTurn;
  if (head === undefined && base.revision === undefined) {
    // "Absent" is no revision: it may have been published and deleted. A delete writes the tombstone first.
    return alone ? false : (await readTombstone(home, target.uploadId, call)) !== undefined;
  }
  if (head?.properties.revision === base.revision || (base.nonce !== undefined && carriesNonce(head?.record, base.nonce))) return false;

  const now = await readClaim(target, call);
  // Nobody can have published in our place without touching the claim first.
  if (!held.inherited && now?.revision === held.revision) return false;
  if (now?.claim.kind === 'gone' || now?.stamped === true) return true;
  if (now === undefined || now.claim.kind === 'abort') {
    if ((await readTombstone(home, target.uploadId, call)) !== undefined) return true;
    throw noSuchUpload(target.uploadId);
  }
  // Where all writes keep their logs, a version that was displaced is stamped.
  if (target.bucket.versioning !== 'never') return false;
  if (!hasWriteConditions(conditions)) return true;
  throw new StoreError('unavailable', { call: 'write', code: 'OutcomeUnknown', lost: true });
}

async function renew(target: UploadTarget, held: HeldClaim, call: Call): Promise<HeldClaim> {
  const renewed = await replaceClaim(target, held, held.claim, call);
  if (renewed === undefined) throw new StoreError('throttled', { call: 'setMetadata', code: 'UploadTakenOver' });
  return { ...held, ...renewed, since: timeOf(target.bucket.home).now() };
}
