import type { Call } from '../../observe/call.ts';
import { ABSENT, type Condition, type Revision, at } from '../../store/blob-store.ts';
import { pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mapConcurrent, together } from '../../streams/map-concurrent.ts';
import type { Bucket } from '../records/bucket.ts';
import { removePieces } from '../heads/pieces.ts';
import { readHead } from '../heads/object-read.ts';
import { removeUnnamed } from '../versions/remove-blob.ts';
import { timeOf } from '../records/time.ts';
import { type Claim, type CompletionClaim, encodeClaim, readClaim, replaceClaim } from '../versions/upload-claim.ts';
import { type UploadTarget, lookUpUpload, noSuchUpload, removeUploadRecord } from './upload-find.ts';
import { belongsTo, versionOfUpload } from '../records/upload-id.ts';
import { parseUploadName, stagingRef, uploadsPrefix } from '../records/upload-names.ts';
import { freeStaged, removePartRecords, removeStagingBlob } from './upload-parts.ts';
import { isPublished, placesOf, publishedCompletion, stampedPlace } from './published-place.ts';
import { decodeSummary } from '../records/upload-record.ts';
import { newAttempt, requireCrashed } from './upload-take.ts';
import { wasCompleted } from './upload-end.ts';
import { readTombstone, writeTombstone } from '../versions/upload-tombstone.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/** How many uploads of a deleted bucket are discarded at a time. */
const DISCARD_CONCURRENCY = 4;

/**
 * Ends an upload without an object and frees its parts. The first to make the staging blob exist decides how the upload
 * ends: a Complete, or this function. `putPart` removes a part that it finishes after the upload ended.
 * @throws S3Error NoSuchUpload, OperationAborted (a Complete is at work, or crashed a short while ago)
 */
export async function abortUpload(target: UploadTarget, call: Call): Promise<void> {
  const { home } = target.bucket;
  const upload = await lookUpUpload(target, call);
  if (upload === undefined) return finishAbort(target, call);
  const held = await takeForAbort(target, call);
  // The two calls may go side by side: a Complete writes the tombstone before another request can claim the upload.
  const [completion] = await together(
    () => readTombstone(home, target.uploadId, call),
    () => removeUploadRecord(target, call),
  );
  const completed = completion !== undefined;
  await cleanUp(target, held, call);
  const token = versionOfUpload(target.uploadId);
  if (upload.encryption !== undefined && !completed && held.claim.mayBeNamed !== true) {
    await removePieces(target, token, call);
  }
  if (completed) throw noSuchUpload(target.uploadId);
}

/**
 * Finishes an Abort whose upload has no record any more: an earlier Abort may have left something behind.
 * @throws S3Error NoSuchUpload: none did
 */
async function finishAbort(target: UploadTarget, call: Call): Promise<void> {
  const { bucket, key, uploadId } = target;
  const stored = belongsTo(uploadId, { bucket, key }) ? await readClaim(target, call) : undefined;
  if (stored?.claim.kind !== 'abort') throw noSuchUpload(uploadId);
  const { claim, revision } = stored;
  await cleanUp(target, { claim, revision }, call);
  // A head may name the blob, so its claim stays, however often Abort is repeated.
  if (claim.mayBeNamed === true) throw noSuchUpload(uploadId);
}

/**
 * Removes what is left. The claim goes last, because what is left can be found by it. If a head may still name the
 * blob, blob and claim are left to the sweeper.
 * @param held undefined: the upload is not claimed
 */
async function cleanUp(target: UploadTarget, held: HeldAbort | undefined, call: Call): Promise<void> {
  const { home } = target.bucket;
  if (held?.claim.mayBeNamed === true) {
    await removePartRecords(home, target.uploadId, call);
    return;
  }
  await together(
    () => removePartRecords(home, target.uploadId, call),
    () =>
      held === undefined || home.store.staged !== undefined
        ? freeStaged(target, call)
        : freeBehindClaim(target, held, call),
  );
  await removeStagingBlob(target, call);
}

/**
 * Frees what was staged after the claim was made, once the upload's record is gone and no part can be recorded any
 * more. A Complete that found such a part before could otherwise assemble it as soon as the claim is removed. Where the
 * service keeps what is staged to itself, a commit throws it away; so the claim is committed anew. If it has changed,
 * another Abort has done so.
 */
async function freeBehindClaim(target: UploadTarget, { claim, revision }: HeldAbort, call: Call): Promise<void> {
  try {
    await assembleClaim(target, claim, at(revision), call);
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed', 'notFound')) throw error;
  }
}

type AbortClaim = Extract<Claim, { readonly kind: 'abort' }>;

interface HeldAbort {
  readonly claim: AbortClaim;
  readonly revision: Revision;
}

async function assembleClaim(
  target: UploadTarget,
  claim: AbortClaim,
  condition: Condition,
  call: Call,
): Promise<HeldAbort> {
  const { store } = target.bucket.home;
  const request = { tokens: [], metadata: encodeClaim(claim), condition };
  const { revision } = await store.assemble(stagingRef(target), request, call);
  return { claim, revision };
}

async function takeForAbort(target: UploadTarget, call: Call): Promise<HeldAbort> {
  const { home } = target.bucket;
  const claim: AbortClaim = { kind: 'abort', uploadId: target.uploadId, attempt: newAttempt() };
  return inTurns<HeldAbort>(TURNS.claim, async () => {
    try {
      return await assembleClaim(target, claim, ABSENT, call);
    } catch (error) {
      if (!isStoreError(error, 'conditionFailed') && !(isStoreError(error) && error.lost)) throw error;
    }
    const stored = await readClaim(target, call);
    if (stored === undefined) return AGAIN;
    if (stored.claim.kind === 'abort') return { claim: stored.claim, revision: stored.revision };
    await requireUnpublished(target, { claim: stored.claim, stamped: stored.stamped }, call);
    requireCrashed(stored, timeOf(home).now());
    const taken: AbortClaim = stored.claim.kind === 'busy' ? { ...claim, mayBeNamed: true } : claim;
    const replaced = await replaceClaim(target, stored, taken, call);
    if (replaced === undefined) return AGAIN;
    if (taken.mayBeNamed !== true) await removeMoved(target, stored.claim, call);
    return { claim: taken, revision: replaced.revision };
  });
}

/**
 * Refuses to abort what a Complete has published, and does what is left of that Complete's work.
 * @throws S3Error NoSuchUpload
 */
async function requireUnpublished(
  target: UploadTarget,
  { claim, stamped }: { readonly claim: CompletionClaim; readonly stamped: boolean },
  call: Call,
): Promise<void> {
  const { bucket, key, uploadId } = target;
  const { home } = bucket;
  const head = await readHead({ bucket, key }, call);
  const moved = placesOf(uploadId, claim).slice(0, -1);
  const isKnown = stamped || isPublished(head, uploadId, claim) || (await wasCompleted(target, call));
  if (!isKnown && (await stampedPlace(target, moved, call)) === undefined) return;
  await writeTombstone(home, uploadId, await publishedCompletion(target, claim, call), call);
  await removeUploadRecord(target, call);
  await removePartRecords(home, uploadId, call);
  throw noSuchUpload(uploadId);
}

/** Removes the copies that a refused Complete had made at other places. No head names them. */
async function removeMoved({ bucket, key, uploadId }: UploadTarget, claim: CompletionClaim, call: Call): Promise<void> {
  for (const place of placesOf(uploadId, claim).slice(0, -1)) await removeUnnamed({ bucket, key }, place, call);
}

/**
 * Frees what the uploads of a deleted bucket hold. They cannot be completed any more. What fails is left to the
 * sweeper.
 */
export async function discardUploads(bucket: Bucket, call: Call): Promise<void> {
  const { store, system } = bucket.home;
  for await (const page of pagesOf(store, system, { prefix: uploadsPrefix(bucket) }, call)) {
    await mapConcurrent(page, DISCARD_CONCURRENCY, async (entry) => {
      const parsed = parseUploadName(bucket, entry.name);
      const key = parsed?.key ?? (entry.kind === 'blob' ? decodeSummary(entry.metadata).key : undefined);
      if (parsed === undefined || key === undefined) return;
      await cleanUp({ bucket, key, uploadId: parsed.uploadId }, undefined, call);
      await store.removeMany(system, [{ name: entry.name }], call);
    });
  }
}
