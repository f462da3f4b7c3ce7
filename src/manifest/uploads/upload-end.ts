import type { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { belongsTo } from '../records/upload-id.ts';
import type { UploadTarget } from '../records/upload-names.ts';
import { publishedCompletion } from './published-place.ts';
import { lookUpUpload } from './upload-find.ts';
import { readClaim } from '../versions/upload-claim.ts';
import { type Completion, readTombstone } from '../versions/upload-tombstone.ts';

/**
 * What the upload became, or is becoming, by its claim or its tombstone. One of the two exists: a staging blob is
 * removed only when the tombstone is written.
 */
export async function claimedCompletion(target: UploadTarget, call: Call): Promise<Completion | undefined> {
  const claim = (await readClaim(target, call))?.claim;
  return claim !== undefined && claim.kind !== 'abort'
    ? publishedCompletion(target, claim, call)
    : readTombstone(target.bucket.home, target.uploadId, call);
}

/** How an upload was completed by an earlier request. */
interface UploadEnd {
  readonly completion: Completion;
  /** What that request did not come to do: to write the note and move the bytes, or to remove the upload's record. */
  readonly left: 'all' | 'record' | 'nothing';
  /** The upload has no record any more, which would say who may know of it. */
  readonly isOver: boolean;
}

/**
 * Why a Complete is not the one that makes the object: the upload has no record any more; the head names the object; or
 * parts are missing, for which the Complete is refused unless an earlier one has taken them.
 */
export type EndReason = 'over' | 'published' | S3Error;

/** How an upload was completed earlier. @throws S3Error the refusal, if the upload is open */
export async function earlierEnd(target: UploadTarget, reason: EndReason, call: Call): Promise<UploadEnd | undefined> {
  if (reason === 'published') {
    const completion = await claimedCompletion(target, call);
    return completion && { completion, left: 'all', isOver: false };
  }
  if (reason !== 'over') {
    // Another Complete has assembled the parts, Abort has removed them, the service has expired them, or they were
    // never uploaded.
    const noted = await readTombstone(target.bucket.home, target.uploadId, call);
    if (noted !== undefined) return { completion: noted, left: 'record', isOver: false };
    if ((await lookUpUpload(target, call)) !== undefined) throw reason;
  }
  return belongsTo(target.uploadId, target) ? endOf(target, call) : undefined;
}

/**
 * How an upload ended whose record is gone. The tombstone is written behind the answer, so it may be missing yet, or
 * for good if the process crashed in between. Then the claim tells: it is there until the tombstone is, and nobody
 * removes the record of an assembled upload that was not published, but Abort, which takes the claim first.
 */
async function endOf(target: UploadTarget, call: Call): Promise<UploadEnd | undefined> {
  const noted = await notedEnd(target, call);
  if (noted !== undefined) return noted;
  const stored = await readClaim(target, call);
  if (stored?.claim.kind === 'busy' && (stored.size ?? 0) > 0) {
    return { completion: await publishedCompletion(target, stored.claim, call), left: 'all', isOver: true };
  }
  // The blob may have moved to its key, or may have been deleted, since the first look: the tombstone was written then.
  return notedEnd(target, call);
}

async function notedEnd({ bucket, uploadId }: UploadTarget, call: Call): Promise<UploadEnd | undefined> {
  const completion = await readTombstone(bucket.home, uploadId, call);
  return completion && { completion, left: 'nothing', isOver: true };
}

/** Whether a claimed upload is over, and not by an Abort. Its record is looked for first. */
export async function wasCompleted(target: UploadTarget, call: Call): Promise<boolean> {
  const isOpen = (await lookUpUpload(target, call)) !== undefined;
  // A Complete that could not remove the record has written the tombstone all the same.
  const end = isOpen ? await notedEnd(target, call) : await endOf(target, call);
  return end !== undefined;
}
