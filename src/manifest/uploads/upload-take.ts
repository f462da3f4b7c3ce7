import { randomBytes } from 'node:crypto';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { ABSENT, type BlobMetadata, type ContentHeaders, type PartToken } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { NULL_VERSION } from '../heads/head.ts';
import { momentNow } from '../records/moment.ts';
import { timeOf } from '../records/time.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import {
  type Claim,
  type ClaimBase,
  type StoredClaim,
  encodeClaim,
  readClaim,
  replaceClaim,
} from '../versions/upload-claim.ts';
import { type UploadTarget, noSuchUpload } from './upload-find.ts';
import { stagingRef } from '../records/upload-names.ts';
import type { HeldClaim } from './upload-publication.ts';
import type { Completion } from '../versions/upload-tombstone.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/**
 * A Complete that claimed the upload longer ago than this has crashed. A Complete that lives renews its claim, so it
 * names no blob whose claim is older than a quarter of an hour. The rest is for clocks: this machine's clock may be ten
 * minutes ahead of the service's, which dated the claim. A request that the crashed Complete sent last may still arrive
 * later.
 */
const CRASHED_AFTER_MS = 30 * 60_000;

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
 * @throws S3Error NoSuchUpload (aborted), InvalidPart (claimed for another list), OperationAborted (another request
 * publishes it under the versioning that the bucket had before, or has since); StoreError
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
  if (isUnderOtherVersioning(stored.claim, own)) requireCrashed(stored, timeOf(target.bucket.home).now());
  // While the owner of the claim may have published, its `base` stays: both need to know what was written over the key
  // since then.
  const inherited = stored.claim.kind === 'busy';
  const next: Claim = inherited
    ? { ...stored.claim, attempt: own.attempt, completion: own.completion, mayLandLate: true }
    : own;
  // A blob that was the object once keeps its record, which may have got tags since. Otherwise the record is made anew,
  // because the bucket's versioning may have changed since the first request crashed or was refused.
  const held = await replaceClaim(target, stored.stamped ? stored : { ...stored, rest }, next, call);
  return held && { ...held, renewed: momentNow(timeOf(target.bucket.home)), inherited };
}

/**
 * One of the two makes the null version, and the other a version with an id, so that both would not have the effect of
 * one. The second would also change the record of a blob that the first has published.
 */
function isUnderOtherVersioning(
  one: { readonly completion: Completion },
  other: { readonly completion: Completion },
): boolean {
  return (one.completion.versionId === NULL_VERSION) !== (other.completion.versionId === NULL_VERSION);
}

/** @throws S3Error OperationAborted: a Complete that may be alive holds the claim */
export function requireCrashed({ claim, since }: StoredClaim, now: number): void {
  if (claim.kind === 'busy' && now - since < CRASHED_AFTER_MS) throw new S3Error('OperationAborted');
}
