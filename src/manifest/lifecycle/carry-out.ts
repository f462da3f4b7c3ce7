import { isS3Error } from '../../errors/s3-error.ts';
import type { Call, Occasion } from '../../observe/call.ts';
import { LIFECYCLE, THE_SERVICE } from '../../protocol/notifications/event-names.ts';
import { preconditionFailed } from '../../protocol/conditions.ts';
import { hasTags } from '../../protocol/lifecycle/due.ts';
import type { LifecycleAction } from '../../protocol/lifecycle/judge.ts';
import { isKept } from '../../protocol/object-lock.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Listing } from '../listing/listing.ts';
import type { ObjectTarget } from '../heads/object-requests.ts';
import type { ClassHindrance } from '../objects/object-class.ts';
import type { Objects } from '../objects/objects.ts';
import type { Bucket } from '../records/bucket.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { BucketRegistry } from '../buckets/buckets.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { RuleOutcome } from './lifecycle-report.ts';
import type { DueVersion, Listed } from './version-walk.ts';

/** What lifecycle rules work with: the same as the requests of clients. */
export interface LifecycleManifest {
  readonly buckets: Pick<BucketRegistry, 'get'>;
  readonly objects: Pick<Objects, 'find' | 'remove' | 'changeClass'>;
  readonly listing: Pick<Listing, 'versions'>;
  readonly uploads: Pick<Uploads, 'list' | 'abort'>;
}

/** As S3's events say it. */
const BY_LIFECYCLE: Occasion = {
  operation: LIFECYCLE,
  principalId: THE_SERVICE,
  requester: THE_SERVICE,
  sourceAddress: THE_SERVICE,
  hostId: THE_SERVICE,
};

/** Thrown by the guard of a removal. */
class VersionLockedError extends Error {}

/**
 * What the rules want of a version that has their tags, what is to be done first at the front. Tags are asked for only
 * where a rule names some, and something is due; one call then.
 */
export async function wantedActions(
  { objects }: Pick<LifecycleManifest, 'objects'>,
  bucket: Bucket,
  due: DueVersion,
  call: Call,
): Promise<readonly LifecycleAction[]> {
  const { entry, actions } = due;
  const hasNoTags = (action: LifecycleAction | undefined): boolean => action?.rule.tags.length === 0;
  // A removal is the end of it; a move may turn out to be impossible.
  if (actions.every(hasNoTags) || (hasNoTags(actions[0]) && actions[0]?.kind !== 'transition')) return actions;
  const view = await objects.find(targetOf(bucket, due), call);
  requireJudged(view, entry);
  return actions.filter(({ rule }) => hasTags(rule, view));
}

function targetOf(bucket: Bucket, { entry: { key, versionId, isLatest } }: DueVersion): ObjectTarget {
  return { bucket, key, ...(isLatest ? {} : { versionId }) };
}

/**
 * Moves a version to another storage class, on condition of the revision that is judged here once more, its tags
 * included. Its locks allow that. @returns `changed`: its class was another one than listings show, which is mended;
 * else as `changeClass`
 */
export async function moveDue(
  { objects }: Pick<LifecycleManifest, 'objects'>,
  { bucket, due, action }: DueMove,
  call: Call,
): Promise<'done' | 'changed' | ClassHindrance> {
  const { entry, beneath, newer = [] } = due;
  const { storageClass, rule } = action;
  const view = await objects.find(targetOf(bucket, due), call);
  requireJudged(view, entry);
  if (!hasTags(rule, view)) throw preconditionFailed('If-Match');
  const isAsListed = entry.kind === 'version' && view.storageClass === entry.storageClass;
  const besides = newer.slice(0, newerOfMove(action));
  const standing = beneath && { mtime: entry.mtime, beneath, besides };
  const request = { storageClass: isAsListed ? storageClass : (view.storageClass ?? 'STANDARD') };
  const own = isAsListed ? { ...call, occasion: BY_LIFECYCLE } : call;
  const change = await objects.changeClass(bucket, view, { ...request, ...(standing && { standing }) }, own);
  if (change === 'changed') return 'done';
  return change === 'same' || change === 'moved' ? 'changed' : change;
}

interface DueMove {
  readonly bucket: Bucket;
  readonly due: DueVersion;
  readonly action: Extract<LifecycleAction, { readonly kind: 'transition' }>;
}

/** Noncurrent versions above one that have to stay in their class if it is moved. */
function newerOfMove({ rule: { rule }, storageClass }: DueMove['action']): number {
  return rule.noncurrentTransitions?.find((move) => move.storageClass === storageClass)?.newer ?? 0;
}

/** Why a version stays in its class, for the report. */
export const HINDRANCES: Readonly<Record<ClassHindrance, string>> = {
  labels: 'storage classes are labels on this backend (storageClasses)',
  refused: 'the account has no such tier',
  tooLarge: 'the service copies no object of that size onto itself',
  encrypted: 'its bytes are encrypted with a key of their own',
  archived: 'it is archived, and has to be brought back before',
};

/**
 * Carries a removal out as the DELETE of a client: one that commits on the revision of the head, and only if the
 * version is the one that was judged, stands where it stood and has the rule's tags. A delete marker is made over a
 * version whatever its tags are by then. @param now of locks, by the service's clock
 */
export async function removeDue(
  { objects }: Pick<LifecycleManifest, 'objects'>,
  { bucket, due, action, now }: DueRemoval,
  call: Call,
): Promise<void> {
  const { entry, beneath, newer = [] } = due;
  const { key, versionId, mtime } = entry;
  const { kind, rule } = action;
  const guard = (view: ObjectView): void => {
    if (isKept(view.lock ?? {}, { now, bypass: false })) throw new VersionLockedError();
    // Tags may have changed since they were looked at: neither the ETag nor the time says so.
    if (!hasTags(rule, view)) throw preconditionFailed('If-Match');
  };
  const { ownerId } = bucket;
  const own = { ...call, occasion: BY_LIFECYCLE };
  if (kind === 'expire') {
    if (entry.kind === 'marker') throw preconditionFailed('If-Match');
    const conditions = { ifStill: { versionId, mtime, etag: entry.etag } };
    await objects.remove({ bucket, key }, { conditions, ownerId, guard }, own);
    return;
  }
  const besides = newer.slice(0, rule.rule.noncurrentExpiration?.newer ?? 0);
  const standing = { mtime, ...(beneath && { beneath, besides }) };
  await objects.remove({ bucket, key, versionId }, { conditions: {}, ownerId, guard, standing }, own);
}

interface DueRemoval {
  readonly bucket: Bucket;
  readonly due: DueVersion;
  readonly action: Exclude<LifecycleAction, { readonly kind: 'transition' }>;
  readonly now: number;
}

/** @throws S3Error PreconditionFailed */
function requireJudged({ versionId, etag, mtime }: ObjectView, entry: Listed): void {
  const isSame =
    entry.kind === 'version' && versionId === entry.versionId && etag === entry.etag && mtime === entry.mtime;
  if (!isSame) throw preconditionFailed('If-Match');
}

/** What S3 says of what has changed, or is gone, since it was judged. */
const CHANGED = [
  'PreconditionFailed',
  'ConditionalRequestConflict',
  'NoSuchKey',
  'NoSuchVersion',
  'NoSuchUpload',
  'MethodNotAllowed',
  'OperationAborted',
] as const;

/** What an error says of what was to be done. Undefined: it ends the work on the bucket. */
export function outcomeOfFailure(error: unknown): RuleOutcome | undefined {
  if (error instanceof VersionLockedError) return 'locked';
  if (CHANGED.some((code) => isS3Error(error, code))) return 'changed';
  return isStoreError(error, 'aborted') || isS3Error(error, 'NoSuchBucket') ? undefined : 'failed';
}
