import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { preconditionFailed } from '../../protocol/conditions.ts';
import { hasTags } from '../../protocol/lifecycle/due.ts';
import type { LifecycleAction } from '../../protocol/lifecycle/judge.ts';
import { isKept } from '../../protocol/object-lock.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Listing } from '../listing/listing.ts';
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
  readonly objects: Pick<Objects, 'find' | 'remove'>;
  readonly listing: Pick<Listing, 'versions'>;
  readonly uploads: Pick<Uploads, 'list' | 'abort'>;
}

/** Thrown by the guard of a removal. */
class VersionLockedError extends Error {}

/**
 * The action that the rules come to: the first whose tags the version has. Tags are asked for only where a rule names
 * some, and something is due; one call then.
 */
export async function chosenAction(
  { objects }: Pick<LifecycleManifest, 'objects'>,
  bucket: Bucket,
  { entry, actions }: DueVersion,
  call: Call,
): Promise<LifecycleAction | undefined> {
  const [first] = actions;
  if (first === undefined || first.rule.tags.length === 0) return first;
  const { key, versionId, isLatest } = entry;
  const view = await objects.find({ bucket, key, ...(isLatest ? {} : { versionId }) }, call);
  requireJudged(view, entry);
  return actions.find(({ rule }) => hasTags(rule, view));
}

/**
 * Carries a removal out as the DELETE of a client: one that commits on the revision of the head, and only if the
 * version is the one that was judged and stands where it stood. @param now of locks, by the service's clock
 */
export async function removeDue(
  { objects }: Pick<LifecycleManifest, 'objects'>,
  { bucket, due, kind, now }: DueRemoval,
  call: Call,
): Promise<void> {
  const { entry, beneath } = due;
  const { key, versionId, mtime } = entry;
  const guard = ({ lock = {} }: ObjectView): void => {
    if (isKept(lock, { now, bypass: false })) throw new VersionLockedError();
  };
  const { ownerId } = bucket;
  if (kind === 'expire') {
    if (entry.kind === 'marker') throw preconditionFailed('If-Match');
    const conditions = { ifStill: { versionId, mtime, etag: entry.etag } };
    await objects.remove({ bucket, key }, { conditions, ownerId, guard }, call);
    return;
  }
  const standing = { mtime, ...(beneath && { beneath }) };
  await objects.remove({ bucket, key, versionId }, { conditions: {}, ownerId, guard, standing }, call);
}

interface DueRemoval {
  readonly bucket: Bucket;
  readonly due: DueVersion;
  readonly kind: 'expire' | 'remove';
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
export function outcomeOfFailure(error: unknown): Exclude<RuleOutcome, 'done'> | undefined {
  if (error instanceof VersionLockedError) return 'locked';
  if (CHANGED.some((code) => isS3Error(error, code))) return 'changed';
  return isStoreError(error, 'aborted') || isS3Error(error, 'NoSuchBucket') ? undefined : 'failed';
}
