import { randomBytes } from 'node:crypto';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { ABSENT, type BlobMetadata, type ContentHeaders, type PartToken } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { momentNow } from '../records/moment.ts';
import { timeOf } from '../records/time.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import { type Claim, type ClaimBase, encodeClaim, readClaim, replaceClaim } from '../versions/upload-claim.ts';
import { type UploadTarget, noSuchUpload } from './upload-find.ts';
import { stagingRef } from '../records/upload-names.ts';
import type { HeldClaim } from './upload-publication.ts';
import type { Completion } from '../versions/upload-tombstone.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

interface CompletionClaim {
  readonly completion: Completion;
  readonly base: ClaimBase;
  readonly tokens: readonly PartToken[];
  /** Record and user metadata of the version that the blob becomes, and its content headers. */
  readonly metadata: BlobMetadata;
  readonly headers: ContentHeaders;
}

/** A random mark that one request gives its claims, so that it recognises them when an answer was lost. */
export function newAttempt(): string {
  return randomBytes(8).toString('base64url');
}

/**
 * Claims an upload for one list of parts, by assembling them into the staging blob, which can come into being once. If
 * the blob exists for the same list, this request takes its claim over: the request that made it has crashed, or both
 * publish, with the effect of one.
 * @returns undefined when parts are missing, or the object that they made: the tombstone tells, if there is one
 * @throws S3Error NoSuchUpload (aborted), InvalidPart (claimed for another list); StoreError
 */
export async function takeForCompletion(
  target: UploadTarget,
  wanted: CompletionClaim,
  call: Call,
): Promise<HeldClaim | undefined> {
  const { home } = target.bucket;
  const { completion, base, tokens, headers, metadata: rest } = wanted;
  const claim: Claim = { kind: 'busy', uploadId: target.uploadId, attempt: newAttempt(), completion, base };
  return inTurns(TURNS.claim, async () => {
    try {
      const request = { tokens, headers, metadata: { ...rest, ...encodeClaim(claim) }, condition: ABSENT };
      const { revision, lastModified: since } = await whileStreaming(call, (client) =>
        home.store.assemble(stagingRef(target), request, client),
      );
      return { claim, revision, since, renewed: momentNow(timeOf(home)), rest, stamped: false, inherited: false };
    } catch (error) {
      if (isStoreError(error, 'partsGone')) return undefined;
      if (!isStoreError(error, 'conditionFailed') && !(isStoreError(error) && error.lost)) throw error;
    }
    const held = await takeOver(target, { claim, rest }, call);
    if (held === 'gone') return undefined;
    return held ?? AGAIN;
  });
}

/**
 * Takes the claim of another request over, or finds that it is this request's own. @returns undefined when there is no
 * claim (any more)
 */
async function takeOver(
  target: UploadTarget,
  { claim: own, rest }: { readonly claim: Claim & { readonly completion: Completion }; readonly rest: BlobMetadata },
  call: Call,
): Promise<HeldClaim | 'gone' | undefined> {
  const stored = await readClaim(target, call);
  if (stored === undefined) return undefined;
  if (stored.claim.kind === 'abort') throw noSuchUpload(target.uploadId);
  if (stored.claim.attempt === own.attempt) {
    return { ...stored, renewed: momentNow(timeOf(target.bucket.home)), inherited: false };
  }
  if (stored.claim.completion.listHash !== own.completion.listHash) {
    throw new S3Error('InvalidPart', {
      message: 'The upload is being completed with another list of parts.',
      extra: { UploadId: target.uploadId },
    });
  }
  if (stored.claim.kind === 'gone') return 'gone';
  // While the owner of the claim may have published, its `base` stays: both need to know what was written over the key
  // since then.
  const inherited = stored.claim.kind === 'busy';
  const next: Claim = inherited
    ? { ...stored.claim, attempt: own.attempt, completion: own.completion, mayLandLate: true }
    : own;
  // A blob that was the object once keeps its record, which may have got tags since. Otherwise the record is made anew,
  // because the bucket's versioning may have changed.
  const held = await replaceClaim(target, stored.stamped ? stored : { ...stored, rest }, next, call);
  return held && { ...held, renewed: momentNow(timeOf(target.bucket.home)), inherited };
}
