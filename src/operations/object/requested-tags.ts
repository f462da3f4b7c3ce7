import { decide } from '../../access/authorize.ts';
import type { Bucket } from '../../manifest/records/bucket.ts';
import type { S3Request } from '../../protocol/request.ts';
import { type Tag, parseTaggingHeader } from '../../protocol/tagging.ts';
import type { OperationContext } from '../operation.ts';
import { dependsOnKeys, requireAction } from '../require-access.ts';

/**
 * Tags that a request gives the object it makes (`x-amz-tagging`). They take a permission besides
 * that of the operation. @throws S3Error InvalidArgument, InvalidTag, AccessDenied
 */
export function requestedTags(
  request: S3Request,
  on: { bucket: Bucket; context: OperationContext },
): { tags?: readonly Tag[] } {
  const header = request.headers.get('x-amz-tagging');
  const tags = header === undefined ? [] : parseTaggingHeader(header);
  if (tags.length === 0) return {};
  if (!isOpenForm(request, on)) requireAction('s3:PutObjectTagging', { bucket: on.bucket }, on.context);
  return { tags };
}

/** A form that the bucket's ACL lets anybody send may have tags, as it may have any metadata (docs/deviations.md). */
function isOpenForm(
  { authMethod }: S3Request,
  { bucket, context }: { bucket: Bucket; context: OperationContext },
): boolean {
  const { operation, principal } = context;
  if (operation.name !== 'PostObject' || authMethod !== 'anonymous' || dependsOnKeys({ bucket }, context)) return false;
  return decide(principal, operation.permission, { bucket }).rule === 'aclAllUsers';
}
