import { decide } from '../../access/authorize.ts';
import type { Bucket } from '../../manifest/index.ts';
import { type ParsedAttributes, parseObjectAttributes } from '../../protocol/headers/object-attributes.ts';
import { parseLockHeaders } from '../../protocol/headers/object-lock-headers.ts';
import { type ObjectLock, retentionByDefault } from '../../protocol/object-lock.ts';
import type { S3Request } from '../../protocol/request.ts';
import { type Tag, parseTaggingHeader } from '../../protocol/tagging.ts';
import type { OperationContext } from '../operation.ts';
import { requireLockedDigest } from '../required-digest.ts';
import { dependsOnKeys, requireAction } from '../require-access.ts';
import { missingObjectLock } from './object-lock.ts';

/** The bucket of the new object. */
interface On {
  readonly bucket: Bucket;
  readonly context: OperationContext;
}

/**
 * What a request that makes an object says of it in headers, besides its owner and ACL: metadata, tags, lock. The
 * fields of a form are text, which S3 keeps as it is.
 */
export function newObjectAttributes(
  request: S3Request,
  on: On,
): ParsedAttributes & { tags?: readonly Tag[]; lock?: ObjectLock } {
  const isForm = on.context.operation.name === 'PostObject';
  const attributes = parseObjectAttributes(request.headers, isForm ? (text) => text : undefined);
  return { ...attributes, ...requestedTags(request, on), ...requestedLock(request, on) };
}

/**
 * Tags that a request gives the object it makes (`x-amz-tagging`). They take a permission besides
 * that of the operation. @throws S3Error InvalidArgument, InvalidTag, AccessDenied
 */
export function requestedTags(request: S3Request, on: On): { tags?: readonly Tag[] } {
  const header = request.headers.get('x-amz-tagging');
  const tags = header === undefined ? [] : parseTaggingHeader(header);
  if (tags.length === 0) return {};
  if (!isOpenForm(request, on)) requireAction('s3:PutObjectTagging', { bucket: on.bucket }, on.context);
  return { tags };
}

/** A form that the bucket's ACL lets anybody send may have tags, as it may have any metadata (docs/deviations.md). */
function isOpenForm({ authMethod }: S3Request, { bucket, context }: On): boolean {
  const { operation, principal } = context;
  if (operation.name !== 'PostObject' || authMethod !== 'anonymous' || dependsOnKeys({ bucket }, context)) return false;
  return decide(principal, operation.permission, { bucket }).rule === 'aclAllUsers';
}

/**
 * The lock of the object that a request makes. It is what the request asks for, which takes permissions besides that of
 * the operation; a request without a retention gets the bucket's default. The retention counts from now; for an upload
 * in parts, that is its initiation. @throws S3Error InvalidArgument, InvalidRequest (the bucket has no object lock; a
 * body without a digest), AccessDenied
 */
export function requestedLock(request: S3Request, { bucket, context }: On): { lock?: ObjectLock } {
  const now = Date.now();
  const lock = parseLockHeaders(request.headers, now);
  const { retention, legalHold } = lock;
  if (retention !== undefined) requireAction('s3:PutObjectRetention', { bucket }, context);
  if (legalHold !== undefined) requireAction('s3:PutObjectLegalHold', { bucket }, context);
  const asks = retention !== undefined || legalHold !== undefined;
  const { objectLock } = bucket.settings;
  if (asks && objectLock === undefined) throw missingObjectLock();
  if (asks && context.operation.name === 'PutObject') requireLockedDigest(request);
  if (retention === undefined && objectLock?.default !== undefined) {
    return { lock: { ...lock, retention: retentionByDefault(objectLock.default, now) } };
  }
  return asks ? { lock } : {};
}
