import { S3Error, isS3Error } from '../errors/s3-error.ts';
import { AGAIN, type Bucket, NULL_VERSION, type ObjectView, requireKey } from '../manifest/index.ts';
import { failedCondition, preconditionFailed } from '../protocol/conditions.ts';
import { type CopySourceHeader, copySourceConditions, parseCopySource } from '../protocol/copy-source.ts';
import type { HeaderReader, S3Request } from '../protocol/request.ts';
import type { CustomerKey } from '../store/customer-key.ts';
import { isStoreError } from '../store/store-error.ts';
import { shownKey } from './encryption.ts';
import { requireOwner } from './named-bucket.ts';
import { authorizedObject } from './authorized-object.ts';
import { asRestored, requireReadable } from './object/storage-class.ts';
import { knownVersion } from './object-version.ts';
import type { OperationContext } from './operation.ts';
import { requireAlso } from './permission.ts';

export interface ResolvedSource {
  readonly source: CopySourceHeader;
  readonly bucket: Bucket;
  readonly view: ObjectView;
  /** The customer's key that the client sends for the source, and that fits. */
  readonly key?: CustomerKey;
}

/** The source as the request names it. */
interface NamedSource {
  readonly source: CopySourceHeader;
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
    const target = { bucket, key, versionId };
    return await asRestored(target, await authorizedObject({ ...target, of: 'source' }, context), context);
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
  const areLabels = bucket.home.classes === undefined;
  if (areLabels && view.storageClass !== undefined && RESTORE_FIRST.has(view.storageClass)) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: view.storageClass } });
  }
  const key = shownKey({ headers: request.headers, of: 'source', algorithmAlone: true }, context);
  requireKey(view.encryption?.by, key);
  return { source, bucket, view, ...(key && { key }) };
}

/** What a copy was made out of one state of its source. */
interface Judged<T> {
  readonly copy: T;
  /** That state is the one that the process remembers: nobody has looked at the source. */
  readonly isRemembered: boolean;
}

/**
 * Finds the source, and has a copy made of the state that the process remembers of it, in the first turn; where it
 * remembers none, or that may not be copied, of the state that is there.
 * @param judge decides whether a state is copied, and into what; changes nothing @throws S3Error
 * @throws S3Error InvalidArgument, NoSuchBucket, AccessDenied, NoSuchKey, InvalidObjectState, InvalidRequest, and as
 * `judge`
 */
export async function judgedSource<T>(
  request: S3Request,
  turn: number,
  context: OperationContext,
  judge: (source: ResolvedSource) => T,
): Promise<Judged<T>> {
  const named = await namedSource(request, context);
  const { key, versionId } = named.source;
  if (turn === 0) context.logAccess(named.bucket, { kind: 'copySource', key, versionId });
  const remembered = turn === 0 ? rememberedSource(named, request, context, judge) : undefined;
  if (remembered !== undefined) return remembered;
  const view = await lookAtSource(named, context);
  return { copy: judge(readableSource(named, view, request, context)), isRemembered: false };
}

/**
 * The same with what the process remembers. That it was so when it was copied, the condition of the copy proves: so
 * nothing but the copy comes of it, and what would be refused is looked at (docs/decisions/0038-copies-in-one-call.md).
 * @returns undefined: the source has to be looked at
 */
function rememberedSource<T>(
  named: NamedSource,
  request: S3Request,
  context: OperationContext,
  judge: (source: ResolvedSource) => T,
): Judged<T> | undefined {
  const { source, bucket, versionId } = named;
  const { key } = source;
  const view = versionId === undefined ? context.manifest.objects.recall({ bucket, key }) : undefined;
  if (view === undefined) return undefined;
  try {
    requireAlso('source', { bucket, key, versionId, object: view }, context);
    const copy = judge(readableSource(named, view, request, context));
    context.call.facts.note('s3gw.object.size', view.size);
    return { copy, isRemembered: true };
  } catch (error) {
    if (!isS3Error(error)) throw error;
    return undefined;
  }
}

/** @returns AGAIN when the copy failed because the source is not as it was judged: nothing was copied */
export async function unlessMoved<T>(
  copying: Promise<T>,
  { isRemembered }: Judged<unknown>,
  { call }: OperationContext,
): Promise<T | typeof AGAIN> {
  try {
    const copied = await copying;
    if (isRemembered) call.facts.note('s3gw.copy.source', 'remembered');
    return copied;
  } catch (error) {
    if (isStoreError(error, 'sourceNotFound', 'sourceConditionFailed')) return AGAIN;
    // A blob that went to an offline tier has kept its revision.
    if (isRemembered && isStoreError(error, 'archived')) return AGAIN;
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
