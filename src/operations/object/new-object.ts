import { decide } from '../../access/authorize.ts';
import { type ParsedAttributes, parseObjectAttributes } from '../../protocol/headers/object-attributes.ts';
import { parseLockHeaders } from '../../protocol/headers/object-lock-headers.ts';
import { type ObjectLock, retentionByDefault } from '../../protocol/object-lock.ts';
import type { S3Request } from '../../protocol/request.ts';
import { type Tag, parseTaggingHeader } from '../../protocol/tagging.ts';
import type { OperationContext } from '../operation.ts';
import { requireLockedDigest } from '../required-digest.ts';
import { dependsOnKeys, requireAlso } from '../permission.ts';
import { missingObjectLock } from './object-lock.ts';
import { classByDefault } from './storage-class.ts';

/**
 * What a request that makes an object says of it in headers, besides its owner and ACL: metadata, tags, lock. The
 * fields of a form are text, which S3 keeps as it is.
 */
export function newObjectAttributes(
  request: S3Request,
  context: OperationContext,
): ParsedAttributes & { tags?: readonly Tag[]; lock?: ObjectLock } {
  const isForm = context.operation.name === 'PostObject';
  const attributes = parseObjectAttributes(request.headers, isForm ? (text) => text : undefined);
  return {
    ...classByDefault(request.headers, context.bucket),
    ...attributes,
    ...requestedTags(request, context),
    ...requestedLock(request, context),
  };
}

/**
 * Tags that a request gives the object it makes (`x-amz-tagging`). They take a permission besides
 * that of the operation. @throws S3Error InvalidArgument, InvalidTag, AccessDenied
 */
export function requestedTags(request: S3Request, context: OperationContext): { tags?: readonly Tag[] } {
  const header = request.headers.get('x-amz-tagging');
  const tags = header === undefined ? [] : parseTaggingHeader(header);
  if (tags.length === 0) return {};
  if (!isOpenForm(request, context)) requireAlso('tags', { bucket: context.bucket }, context);
  return { tags };
}

/** A form that the bucket's ACL lets anybody send may have tags, as it may have any metadata (docs/deviations.md). */
function isOpenForm({ authMethod }: S3Request, context: OperationContext): boolean {
  const { operation, principal, bucket } = context;
  if (operation.name !== 'PostObject' || authMethod !== 'anonymous' || dependsOnKeys(context)) return false;
  return decide(principal, operation.permission, { bucket }).rule === 'aclAllUsers';
}

/**
 * The lock of the object that a request makes. It is what the request asks for, which takes permissions besides that of
 * the operation; a request without a retention gets the bucket's default. The retention counts from now; for an upload
 * in parts, that is its initiation. @throws S3Error InvalidArgument, InvalidRequest (the bucket has no object lock; a
 * body without a digest), AccessDenied
 */
export function requestedLock(request: S3Request, context: OperationContext): { lock?: ObjectLock } {
  const { bucket, operation } = context;
  const now = Date.now();
  const lock = parseLockHeaders(request.headers, now);
  const { retention, legalHold } = lock;
  if (retention !== undefined) requireAlso('retention', { bucket }, context);
  if (legalHold !== undefined) requireAlso('legalHold', { bucket }, context);
  const asks = retention !== undefined || legalHold !== undefined;
  const { objectLock } = bucket.settings;
  if (asks && objectLock === undefined) throw missingObjectLock();
  if (asks && operation.name === 'PutObject') requireLockedDigest(request);
  if (retention === undefined && objectLock?.default !== undefined) {
    return { lock: { ...lock, retention: retentionByDefault(objectLock.default, now) } };
  }
  return asks ? { lock } : {};
}
