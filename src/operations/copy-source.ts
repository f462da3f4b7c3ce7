import { S3Error, isS3Error } from '../errors/s3-error.ts';
import {
  AGAIN,
  type Bucket,
  inTurns,
  NULL_VERSION,
  type ObjectView,
  requireKey,
  type TurnPolicy,
} from '../manifest/index.ts';
import { failedCondition, preconditionFailed } from '../protocol/conditions.ts';
import { type CopySource, copySourceConditions, parseCopySource } from '../protocol/copy-source.ts';
import type { HeaderReader, S3Request } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import type { CustomerKey } from '../store/customer-key.ts';
import { type StoreErrorKind, isStoreError } from '../store/store-error.ts';
import { shownKey } from './encryption.ts';
import { requireOwner } from './named-bucket.ts';
import { authorizedObject } from './authorized-object.ts';
import { requireReadable } from './object/archived.ts';
import { knownVersion } from './object-version.ts';
import type { OperationContext } from './operation.ts';
import { requireAlso } from './permission.ts';

export interface ResolvedSource {
  readonly source: CopySource;
  readonly bucket: Bucket;
  readonly view: ObjectView;
  /** The customer's key that the client sends for the source, and that fits. */
  readonly key?: CustomerKey;
}

/** The source as the request names it. */
interface NamedSource {
  readonly source: CopySource;
  readonly bucket: Bucket;
  readonly versionId: string | undefined;
}

/** @throws S3Error InvalidArgument, SlowDown, NoSuchBucket, AccessDenied (another owner's), NoSuchVersion */
async function namedSource({ headers }: S3Request, context: OperationContext): Promise<NamedSource> {
  const source = parseCopySource(headers.get('x-amz-copy-source') ?? '');
  context.alsoOnBucket(source.bucket);
  const bucket = await context.manifest.buckets.get(source.bucket, context.call);
  requireOwner(bucket, headers.get('x-amz-source-expected-bucket-owner'), context);
  return { source, bucket, versionId: knownVersion(source.versionId, bucket, context) };
}

/**
 * Looks at the object that CopyObject or UploadPartCopy reads: permitted, and found.
 * @throws S3Error AccessDenied, NoSuchKey, NoSuchVersion, InvalidRequest (a delete marker)
 */
async function lookAtSource(
  { source, bucket, versionId }: NamedSource,
  context: OperationContext,
): Promise<ObjectView> {
  const { key } = source;
  try {
    return await authorizedObject({ bucket, key, versionId, of: 'source' }, context);
  } catch (error) {
    throw asSourceError(error);
  }
}

/** Not archived, and opened by what the client shows. @throws S3Error InvalidObjectState, InvalidRequest (its key) */
function readableSource(
  { source, bucket }: NamedSource,
  view: ObjectView,
  request: S3Request,
  context: OperationContext,
): ResolvedSource {
  requireReadable(view);
  if (view.storageClass !== undefined && RESTORE_FIRST.has(view.storageClass)) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: view.storageClass } });
  }
  const key = shownKey({ headers: request.headers, of: 'source', algorithmAlone: true }, context);
  requireKey(view.encryption?.by, key);
  return { source, bucket, view, ...(key && { key }) };
}

/** What an operation does with its source. */
export interface SourceUse<T> {
  /** Decides whether this state of it is copied, and into what; changes nothing. @throws S3Error */
  readonly judge: (source: ResolvedSource) => T | Promise<T>;
  /** Copies that state. @throws StoreError sourceNotFound, sourceConditionFailed: it is not there any more */
  readonly send: (judged: T) => Promise<S3Response>;
}

/**
 * Copies the state of the source that was judged: first the one that the process remembers, if it does, then the one
 * that is there. When the source is replaced meanwhile, it is looked at again.
 * @throws S3Error InvalidArgument, NoSuchBucket, AccessDenied, NoSuchKey, InvalidObjectState, InvalidRequest, and as
 * `use`; StoreError throttled: it does not come to rest
 */
export function copySeenSource<T>(
  request: S3Request,
  use: SourceUse<T>,
  turns: TurnPolicy,
  context: OperationContext,
): Promise<S3Response> {
  return inTurns(turns, async (turn) => {
    const named = await namedSource(request, context);
    const copied = turn === 0 ? await copyRemembered(named, request, use, context) : AGAIN;
    if (copied !== AGAIN) return copied;
    const view = await lookAtSource(named, context);
    const judged = await use.judge(readableSource(named, view, request, context));
    return unlessMoved(use.send(judged), 'sourceNotFound', 'sourceConditionFailed');
  });
}

/**
 * Copies the source as the process remembers it. That it was so when it was copied, the condition of the copy proves:
 * so nothing but the copy comes of it, and what would be refused is looked at
 * (docs/decisions/0038-copies-in-one-call.md).
 * @returns AGAIN when nothing was copied, and the source has to be looked at
 */
async function copyRemembered<T>(
  named: NamedSource,
  request: S3Request,
  use: SourceUse<T>,
  context: OperationContext,
): Promise<S3Response | typeof AGAIN> {
  const { source, bucket, versionId } = named;
  const { key } = source;
  const view = versionId === undefined ? context.manifest.objects.recall({ bucket, key }) : undefined;
  if (view === undefined) return AGAIN;
  let judged: T;
  try {
    requireAlso('source', { bucket, key, versionId, object: view }, context);
    judged = await use.judge(readableSource(named, view, request, context));
  } catch (error) {
    if (!isS3Error(error)) throw error;
    return AGAIN;
  }
  const { facts } = context.call;
  facts.note('s3gw.object.size', view.size);
  // A blob that went to an offline tier has kept its revision.
  const copied = await unlessMoved(use.send(judged), 'sourceNotFound', 'sourceConditionFailed', 'archived');
  if (copied !== AGAIN) facts.note('s3gw.copy.source', 'remembered');
  return copied;
}

/** @returns AGAIN when the copy failed because the source is not as it was judged: nothing was copied */
async function unlessMoved(
  copy: Promise<S3Response>,
  ...moved: readonly StoreErrorKind[]
): Promise<S3Response | typeof AGAIN> {
  try {
    return await copy;
  } catch (error) {
    if (isStoreError(error, ...moved)) return AGAIN;
    throw error;
  }
}

/** `x-amz-copy-source-if-*`. @throws S3Error PreconditionFailed */
export function requireSourceConditions(headers: HeaderReader, { view }: ResolvedSource): void {
  const failed = failedCondition(copySourceConditions(headers), view, Date.now());
  if (failed !== undefined) throw preconditionFailed(`x-amz-copy-source-${failed}`);
}

/** A delete marker that is named by its id is a wrong source here (400), not a wrong method. */
function asSourceError(error: unknown): unknown {
  if (!isS3Error(error, 'MethodNotAllowed')) return error;
  const message = 'The source of a copy request may not specifically refer to a delete marker by version id.';
  return new S3Error('InvalidRequest', { message, cause: error });
}

/** The header that names the version that was copied, if it has an id of its own. */
export function copiedVersionHeaders({
  bucket,
  view,
}: Pick<ResolvedSource, 'bucket' | 'view'>): Record<string, string> {
  return bucket.versioning === 'never' || view.versionId === NULL_VERSION
    ? {}
    : { 'x-amz-copy-source-version-id': view.versionId };
}

/** "A source in class GLACIER must first be restored before it can be a copy source." */
const RESTORE_FIRST = new Set(['GLACIER', 'DEEP_ARCHIVE']);

const MAX_COPY_SIZE = 5_368_709_120;

/** @throws S3Error InvalidRequest with the text that clients look for before they fall back to part copies */
export function requireCopyable(size: number): void {
  if (size <= MAX_COPY_SIZE) return;
  throw new S3Error('InvalidRequest', {
    message: `The specified copy source is larger than the maximum allowable size for a copy source: ${String(MAX_COPY_SIZE)}`,
  });
}
