import type { Call } from '../../observe/call.ts';
import { RemovalReason, removeKnownBlob } from '../versions/remove-blob.ts';
import { isUploadToken } from '../records/version-token.ts';
import { type Claim, decodeClaim } from '../versions/upload-claim.ts';
import { lookUpUpload, removeUploadRecord } from '../uploads/upload-find.ts';
import { removePartRecords } from '../uploads/upload-parts.ts';
import { writeTombstone } from '../versions/upload-tombstone.ts';
import type { BucketSweep, ListedBlob } from './sweep-run.ts';

/**
 * What a staging blob that no head names stands for. `open`: its upload can still be completed or aborted. `none`: it
 * is no staging blob. `stump`: no upload claims it. Else the claim of an upload that is over.
 */
type Staging = 'open' | 'none' | 'stump' | Claim;

/** One call for a blob that a Complete has claimed; else none. */
export async function stagingOf(
  { bucket }: BucketSweep,
  { token, key, record, entry }: ListedBlob,
  call: Call,
): Promise<Staging> {
  if (!isUploadToken(token)) return 'none';
  const claim = decodeClaim(entry.metadata);
  // An adapter makes such a blob for a moment, to free parts.
  if (claim === undefined) return record === undefined ? 'stump' : 'none';
  if (claim.kind === 'abort' || claim.kind === 'gone') return claim;
  if ((await lookUpUpload({ bucket, key, uploadId: claim.uploadId }, call)) !== undefined) return 'open';
  return claim;
}

/** False when it is known that it never was an object, or is one that was deleted. */
export function mayHaveBeenPublished(staging: Staging): boolean {
  return staging === 'none' || (typeof staging === 'object' && staging.kind === 'busy');
}

/**
 * Ends what an Abort, or the deletion of a published object, left: the upload's record first, the claim last.
 * Of what was published and overwritten only the bytes are left.
 */
export async function removeLeftStaging(
  { run, bucket }: BucketSweep,
  { key, token, ref, record, entry }: ListedBlob,
  staging: 'stump' | Claim,
  call: Call,
): Promise<void> {
  if (staging !== 'stump') {
    const { home } = bucket;
    const { uploadId } = staging;
    if (staging.kind === 'gone') await writeTombstone(home, uploadId, staging.completion, call);
    await removeUploadRecord({ bucket, key, uploadId }, call);
    await removePartRecords(home, uploadId, call);
    await run.store.discardParts(ref, call);
  }
  await removeKnownBlob(
    { bucket, key },
    { token, record, revision: entry.revision },
    RemovalReason.unnamed(run.now),
    call,
  );
}
