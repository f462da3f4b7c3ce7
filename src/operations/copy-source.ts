import { S3Error, isS3Error } from '../errors/s3-error.ts';
import type { Bucket } from '../manifest/records/bucket.ts';
import { requireKey } from '../manifest/heads/customer-keys.ts';
import { NULL_VERSION } from '../manifest/heads/head.ts';
import type { ObjectView } from '../manifest/records/object-view.ts';
import { AGAIN, type TurnPolicy, inTurns } from '../manifest/records/turns.ts';
import { failedCondition, preconditionFailed } from '../protocol/conditions.ts';
import { type CopySource, copySourceConditions, parseCopySource } from '../protocol/copy-source.ts';
import type { HeaderReader, S3Request } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import type { CustomerKey } from '../store/customer-key.ts';
import { isStoreError } from '../store/store-error.ts';
import { shownKey } from './encryption.ts';
import { requireOwner } from './authorized-bucket.ts';
import { authorizedObject } from './authorized-object.ts';
import { requireReadable } from './object/archived.ts';
import { knownVersion } from './object-version.ts';
import type { OperationContext } from './operation.ts';
import { versioned } from './require-access.ts';

export interface ResolvedSource {
  readonly source: CopySource;
  readonly bucket: Bucket;
  readonly view: ObjectView;
  /** The customer's key that the client sends for the source, and that fits. */
  readonly key?: CustomerKey;
}

/**
 * The object that CopyObject or UploadPartCopy reads: parsed, permitted, found, not archived.
 * @throws S3Error InvalidArgument, NoSuchBucket, AccessDenied, NoSuchKey, InvalidObjectState, InvalidRequest (its key)
 */
async function resolveCopySource(request: S3Request, context: OperationContext): Promise<ResolvedSource> {
  const source = parseCopySource(request.headers.get('x-amz-copy-source') ?? '');
  const bucket = await context.manifest.buckets.get(source.bucket, context.call);
  requireOwner(bucket, request.headers.get('x-amz-source-expected-bucket-owner'), context);
  const versionId = knownVersion(source.versionId, bucket, context);
  const find = (): Promise<ObjectView> =>
    authorizedObject({ bucket, key: source.key, versionId, action: versioned('s3:GetObject', versionId) }, context);
  const view = await find().catch((error: unknown) => {
    throw asSourceError(error);
  });
  requireReadable(view);
  if (view.storageClass !== undefined && RESTORE_FIRST.has(view.storageClass)) {
    throw new S3Error('InvalidObjectState', { extra: { StorageClass: view.storageClass } });
  }
  const key = shownKey({ headers: request.headers, of: 'source', algorithmAlone: true }, context);
  requireKey(view.encryption?.by, key);
  return { source, bucket, view, ...(key && { key }) };
}

/**
 * Copies the state of the source that `copy` is shown. When the source is replaced meanwhile, it is looked at again.
 * @throws as `resolveCopySource`, and what `copy` throws; StoreError throttled: it does not come to rest
 */
export function copySeenSource(
  request: S3Request,
  turns: TurnPolicy,
  context: OperationContext,
  copy: (source: ResolvedSource) => Promise<S3Response>,
): Promise<S3Response> {
  return inTurns(turns, async () => {
    const source = await resolveCopySource(request, context);
    try {
      return await copy(source);
    } catch (error) {
      if (isStoreError(error, 'sourceNotFound', 'sourceConditionFailed')) return AGAIN;
      throw error;
    }
  });
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
export function copiedVersionHeaders({ bucket, view }: ResolvedSource): Record<string, string> {
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
