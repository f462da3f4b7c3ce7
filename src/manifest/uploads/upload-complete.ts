import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { type WriteConditions, judgeWrite } from '../../protocol/conditions.ts';
import type { CustomerKey } from '../../store/customer-key.ts';
import type { ContentHeaders } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { requirePartKey } from '../heads/customer-keys.ts';
import { versionNonce } from '../heads/head-commit.ts';
import { type Head, NULL_VERSION, type SeenHead } from '../heads/head.ts';
import { liveView, readHead } from '../heads/object-read.ts';
import type { Committed, PublishRequest, VersionMetadata } from '../heads/object-requests.ts';
import type { FreshAssembled } from '../versions/settle.ts';
import { encodeClaim, replaceClaim } from '../versions/upload-claim.ts';
import type { UploadsContext } from './upload-context.ts';
import { type Upload, type UploadTarget, invalidPart, lookUpUpload, noSuchUpload, readUpload } from './upload-find.ts';
import { belongsTo, versionOfUpload } from '../records/upload-id.ts';
import { type Ending, conclude } from './upload-conclude.ts';
import { stagingRef } from '../records/upload-names.ts';
import { type EndReason, claimedCompletion, earlierEnd } from './upload-end.ts';
import { type FoundParts, partsNamed } from './upload-parts.ts';
import { type CompletionRequest, type ObjectPlan, listHashOf, planObject, requireAscending } from './upload-plan.ts';
import { isPublished } from './published-place.ts';
import { type HeldClaim, publishOnce } from './upload-publication.ts';
import { takeForCompletion } from './upload-take.ts';
import type { EncryptedBy } from '../records/encryption.ts';
import type { UploadContent } from '../records/upload-record.ts';
import { type Completion, type Starter, readTombstone } from '../versions/upload-tombstone.ts';

export interface CompleteRequest extends CompletionRequest {
  /**
   * Some clients show the customer's key with every request. If one is shown, it must be the upload's; Complete itself
   * does not need it.
   */
  readonly key?: CustomerKey;
  readonly conditions: WriteConditions;
  /** Called when all checks that can be made without a change have passed. What it throws leaves the upload open. */
  readonly beforeAssembly: (encryptedBy: EncryptedBy | undefined) => Promise<void> | undefined;
  /**
   * Called before a repeated Complete, of an upload that is over, is answered from the tombstone. It gets who started
   * the upload, and throws if the caller could not have completed it. For an open upload the operation has decided that
   * before.
   */
  readonly mayKnow?: (starter: Starter) => void;
  /** Called before the object becomes visible. It throws if the bucket has changed. */
  readonly beforePublication: () => Promise<void>;
}

export interface CompletedUpload {
  /** Without quotes. */
  readonly etag: string;
  readonly checksum?: Checksum;
  /** `null` or a token. */
  readonly versionId: string;
  /** Absent: an earlier request made the object, which may have changed since. */
  readonly made?: Pick<ObjectView, 'size' | 'mtime'> & { readonly tags: ObjectView['tags'] | undefined };
}

/** All that Complete knows once the request was judged. */
interface Completing {
  readonly upload: Upload & UploadContent;
  readonly request: CompleteRequest;
  readonly plan: ObjectPlan;
  readonly completion: Completion;
}

/**
 * Makes an upload the object of its key; the cost does not depend on its size. In this order:
 * judge everything, claim the upload by assembling its parts, publish, write the tombstone and remove
 * the upload's record. A crash after any of these leaves an upload that the same Complete finishes, or is
 * answered from the claim. A refusal leaves it open.
 *
 * @throws S3Error NoSuchUpload, InvalidPart, InvalidPartOrder, EntityTooSmall, EntityTooLarge,
 * InvalidRequest, BadDigest, PreconditionFailed, NoSuchKey (If-Match), ConditionalRequestConflict
 */
export async function completeUpload(
  context: UploadsContext,
  target: UploadTarget,
  request: CompleteRequest,
  call: Call,
): Promise<CompletedUpload> {
  const { upload, stored, areAll, head } = await lookAtAll(target, request, call);
  if (upload === undefined) return answerEarlier(context, target, request, 'over', call);
  if (request.key !== undefined) requirePartKey(upload.encryption, request.key);
  requireAscending(request.parts, target.uploadId);
  let plan: ObjectPlan;
  try {
    const { maxBlob } = target.bucket.home.store.capabilities;
    const maxObjectSize = Math.min(context.maxObjectSize, maxBlob);
    plan = planObject(upload, request, stored, { minPartSize: context.minPartSize, maxObjectSize });
  } catch (refusal) {
    // The upload may be over.
    if (isS3Error(refusal, 'InvalidPart')) return answerEarlier(context, target, request, refusal, call);
    throw refusal;
  }
  const completing = { upload, request, plan, completion: completionOf(upload, request, plan) };

  if (isPublished(head, target.uploadId)) return answerEarlier(context, target, request, 'published', call);
  await judge(target, request.conditions, head, call);
  await request.beforeAssembly(upload.encryption);
  const described = await context.objects.describe(target, versionOf(completing), call);
  const held = await takeForCompletion(
    target,
    {
      completion: completing.completion,
      base: head === undefined ? {} : { revision: head.properties.revision, nonce: versionNonce(head) },
      tokens: plan.tokens,
      ...described,
    },
    call,
  );
  if (held === undefined) return answerEarlier(context, target, request, invalidPart(target), call);
  const isLate = plan.tokens.length === 0 && !(await isStillOpen(target, held, call));
  if (isLate) return answerEarlier(context, target, request, 'over', call);
  const published = await publish(context, completing, { held, seen: { head, trust: 'read' } }, call);
  const completion = { ...completing.completion, versionId: published.versionId };
  const ending: Ending = {
    ...endingOf(completing, published, described.headers),
    completion,
    ...(areAll && { numbers: stored.keys() }),
  };
  await conclude(context, upload, ending, call);
  const { mtime } = published;
  return { ...resultOf(completion), made: { size: plan.size, mtime, tags: upload.attributes.tags } };
}

/** What is left to be done behind the published object. */
function endingOf(
  { upload, plan }: Completing,
  published: Published,
  headers: ContentHeaders,
): Omit<Ending, 'completion'> {
  const { versionId, isAlone, unsettled, claim } = published;
  // The version was copied to a place above its own.
  const wasMoved = upload.bucket.versioning === 'enabled' && versionId !== versionOfUpload(upload.uploadId);
  return {
    leavesStaging: isAlone && wasMoved,
    isClaimed: plan.tokens.length > 0 && !wasMoved,
    publishedBy: isAlone ? claim.claim.attempt : undefined,
    ...(unsettled && { unsettled: { fresh: freshOf(plan, published, headers) } }),
  };
}

/**
 * The head and the blob of what was just published, if no other request can have changed them without another revision.
 * The blob has no MD5: it was put together from parts.
 */
function freshOf(
  plan: ObjectPlan,
  { unsettled, isAlone, claim: { claim, rest, revision, since } }: Published,
  headers: ContentHeaders,
): FreshAssembled | undefined {
  const head = unsettled?.head;
  if (head === undefined || !isAlone || plan.encryption !== undefined || plan.tokens.length === 0) return undefined;
  const metadata = { ...rest, ...encodeClaim(claim) };
  return { head, source: { ...headers, size: plan.size, revision, lastModified: since, metadata } };
}

interface Seen extends FoundParts {
  /** Undefined: it is over. */
  readonly upload: (Upload & UploadContent) | undefined;
  readonly head: Head | undefined;
}

/**
 * Reads, side by side, all that is judged before anything is changed. It does not matter in which order the service
 * answers. Parts exist as long as the record of the upload. If the key changes after this look, the claim or the
 * condition of the publication fails.
 */
async function lookAtAll(target: UploadTarget, { parts }: CompleteRequest, call: Call): Promise<Seen> {
  if (!belongsTo(target.uploadId, target)) {
    return { upload: undefined, stored: new Map(), areAll: false, head: undefined };
  }
  const [upload, found, head] = await Promise.all([
    readUpload(target, call),
    partsNamed(target, parts, call),
    readHead(target, call),
  ]);
  return { upload, ...found, head };
}

/**
 * Judges the client's conditions before anything is changed; the publication judges them again. If an earlier Complete
 * has claimed the upload, it may have met the conditions, and its outcome counts: its repetition must not be told that
 * it failed.
 */
async function judge(
  target: UploadTarget,
  conditions: WriteConditions,
  head: Head | undefined,
  call: Call,
): Promise<void> {
  try {
    judgeWrite(conditions, liveView(target, head), target.key);
  } catch (refusal) {
    if ((await claimedCompletion(target, call)) === undefined) throw refusal;
  }
}

/**
 * Whether the upload was open when it was claimed. Parts can be assembled only once, so a request that assembles some
 * is not too late. A list without bytes can be assembled at any time; then the record of the upload decides, and a
 * claim that came too late is removed. If another request made the claim, it may have published: then it noted that
 * before it removed the record, and the blob stays.
 */
async function isStillOpen(target: UploadTarget, held: HeldClaim, call: Call): Promise<boolean> {
  if ((await lookUpUpload(target, call)) !== undefined) return true;
  if (held.inherited && (await readTombstone(target.bucket.home, target.uploadId, call)) !== undefined) return false;
  try {
    // Only if it is unchanged: another Complete may have taken the claim over, and published.
    await target.bucket.home.store.remove(stagingRef(target), held.revision, call);
  } catch (error) {
    if (!isStoreError(error, 'notFound', 'conditionFailed')) throw error;
  }
  return false;
}

function completionOf(upload: Upload, request: CompleteRequest, plan: ObjectPlan): Completion {
  const { bucket, key, uploadId } = upload;
  const { etag, checksum } = plan;
  const versionId = bucket.versioning === 'enabled' ? versionOfUpload(uploadId) : NULL_VERSION;
  const listHash = listHashOf(request.parts);
  const starter: Starter = {
    ownerId: upload.ownerId,
    ...(upload.initiator !== undefined && { initiator: { id: upload.initiator.id } }),
  };
  return {
    bucketUid: bucket.uid,
    key,
    listHash,
    etag,
    versionId,
    ...(checksum !== undefined && { checksum }),
    starter,
  };
}

function versionOf({ upload, plan }: Completing): VersionMetadata {
  const { uploadId, attributes, ownerId, acl } = upload;
  const { etag, size, parts, checksum, encryption, pieces } = plan;
  return {
    attributes,
    ownerId,
    ...(acl !== undefined && { acl }),
    version: versionOfUpload(uploadId),
    etag,
    // Encrypted parts are not assembled, so the blob is empty.
    size: encryption === undefined ? size : 0,
    parts,
    ...(encryption !== undefined && { encryption, pieces: pieces ?? [] }),
    ...(checksum !== undefined && { checksum }),
  };
}

interface Published extends Committed {
  /** No other write can have named the blob at its first place. */
  readonly isAlone: boolean;
  /** As it stands on the blob. */
  readonly claim: HeldClaim;
}

async function publish(
  context: UploadsContext,
  completing: Completing,
  { held, seen }: { readonly held: HeldClaim; readonly seen: SeenHead },
  call: Call,
): Promise<Published> {
  const { upload, request } = completing;
  const { conditions } = request;
  const once = publishOnce({ target: upload, held, conditions }, call);
  const publication: PublishRequest = {
    ...versionOf(completing),
    conditions,
    once,
    placed: upload.placed === true,
    // A request that held the claim before this one may have published since the head was read.
    known: held.inherited ? undefined : seen,
  };
  try {
    await request.beforePublication();
    const committed = await context.objects.publish(upload, publication, call);
    return { ...committed, isAlone: !held.inherited && !once.isInDoubt(), claim: once.claim() };
  } catch (error) {
    if (!once.isInDoubt()) await release(upload, once.claim(), call);
    throw error;
  }
}

/**
 * Marks the claim as refused when it is certain that no head names the blob: then Abort and other Completes need not
 * wait for it to grow old, and may begin afresh. A claim that was taken over stays, because its first owner may live.
 */
async function release(target: UploadTarget, held: HeldClaim, call: Call): Promise<void> {
  if (held.inherited || held.claim.kind !== 'busy') return;
  try {
    await replaceClaim(target, held, { ...held.claim, kind: 'refused' }, call);
  } catch (error) {
    // The claim stays busy then, until it is old enough to be taken for that of a crashed Complete.
    if (!isStoreError(error)) throw error;
  }
}

/**
 * Answers a Complete by the earlier one that completed the upload, and does what that one left to be done.
 * @throws S3Error NoSuchUpload: there was none, or it had another list of parts; or the refusal
 */
async function answerEarlier(
  context: UploadsContext,
  target: UploadTarget,
  request: CompleteRequest,
  reason: EndReason,
  call: Call,
): Promise<CompletedUpload> {
  const { bucket, key, uploadId } = target;
  const { completion, left, isOver } = (await earlierEnd(target, reason, call)) ?? {};
  const isHere = completion?.bucketUid === bucket.uid && completion.key === key;
  if (!isHere || completion.listHash !== listHashOf(request.parts)) throw noSuchUpload(uploadId);
  if (isOver === true) request.mayKnow?.(completion.starter);
  if (left !== 'nothing') {
    await conclude(context, target, { completion, ...(left === 'all' && { unsettled: {} }) }, call);
  }
  return resultOf(completion);
}

function resultOf({ etag, checksum, versionId }: Completion): CompletedUpload {
  return { etag, versionId, ...(checksum !== undefined && { checksum }) };
}
