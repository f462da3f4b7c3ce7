import { readerOfCreation } from '../../access/creation-headers.ts';
import { owns } from '../../access/acl/permits.ts';
import type { StartedUpload } from '../../access/authorize.ts';
import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import { type Upload, type UploadTarget, noSuchUpload } from '../../manifest/uploads/upload-find.ts';
import type { Bucket } from '../../manifest/records/bucket.ts';
import type { UploadContent } from '../../manifest/records/upload-record.ts';
import type { S3Request } from '../../protocol/request.ts';
import { namedBucket } from '../authorized-bucket.ts';
import type { OperationContext } from '../operation.ts';
import { dependsOnCreation, mayAccess, ownAction, requireAccess } from '../require-access.ts';

/**
 * The bucket of a part, or of an upload to be completed. Where a policy asks for what only the request that created the
 * upload said, the decision is left to the upload (`authorizedForPart`, `requireCompletionAccess`).
 * @throws S3Error as `authorizedBucket`
 */
export async function bucketOfUpload(request: S3Request, context: OperationContext): Promise<Bucket> {
  const bucket = await namedBucket(request, context);
  if (!dependsOnCreation({ bucket }, context)) requireAccess({ bucket }, context);
  return bucket;
}

/**
 * An open upload, once it is known that the caller may do this to it.
 * @throws S3Error NoSuchUpload (to those who might have one), AccessDenied
 */
export async function authorizedUpload(target: UploadTarget, context: OperationContext): Promise<Upload> {
  const { uploads } = context.manifest;
  const asksCreation = dependsOnCreation(target, context);
  return authorized(
    target,
    asksCreation ? uploads.read(target, context.call) : uploads.find(target, context.call),
    context,
  );
}

/**
 * The same for those who bring a part, which is refused by itself if the upload is over by now. @throws as
 * `authorizedUpload`
 */
export async function authorizedForPart(target: UploadTarget, context: OperationContext): Promise<Upload> {
  if (dependsOnCreation(target, context)) return authorizedUpload(target, context);
  return authorized(target, context.manifest.uploads.recall(target, context.call), context);
}

async function authorized(
  target: UploadTarget,
  found: Promise<Upload & Partial<UploadContent>>,
  context: OperationContext,
): Promise<Upload> {
  const { bucket } = target;
  try {
    const upload = await found;
    const wasRead = upload.attributes !== undefined;
    requireAccess({ bucket, upload, ...(wasRead && { creation: readerOfCreation(upload.said) }) }, context);
    return upload;
  } catch (error) {
    if (!isS3Error(error, 'NoSuchUpload') || mayLearn(bucket, context)) throw error;
    throw new S3Error('AccessDenied', { cause: error });
  }
}

/**
 * Whether the caller is told that there is no such upload: who may do this to any upload, and who may write and could
 * do it to one of his own.
 */
function mayLearn(bucket: Bucket, context: OperationContext): boolean {
  const { principal } = context;
  const action = ownAction(context);
  if (mayAccess(action, { bucket }, context)) return true;
  if (principal.kind === 'anonymous' || !mayAccess('s3:PutObject', { bucket }, context)) return false;
  return mayAccess(action, { bucket, upload: { ownerId: principal.account.canonicalId } }, context);
}

/**
 * The same decision where the upload itself is not needed: whoever owns the bucket need not wait for it. That everybody
 * may write into the bucket lets nobody into an upload, users of the owner neither.
 */
export async function requireUploadAccess(target: UploadTarget, context: OperationContext): Promise<void> {
  const { bucket } = target;
  const isDecidedByOwner = owns(context.principal, bucket) && !dependsOnCreation(target, context);
  if (isDecidedByOwner) requireAccess({ bucket, upload: { ownerId: bucket.ownerId } }, context);
  else await authorizedUpload(target, context);
}

/**
 * For Complete, which may come again when the upload is over: whose it was is said by what is left of it
 * (`requireStarter`).
 */
export async function requireCompletionAccess(target: UploadTarget, context: OperationContext): Promise<void> {
  try {
    await requireUploadAccess(target, context);
  } catch (error) {
    if (!isS3Error(error, 'NoSuchUpload')) throw error;
  }
}

/**
 * The same decision for an upload that is over, before a repeated Complete is told how it ended. Where nothing says who
 * started it, only the owner of the bucket is told.
 * @throws S3Error NoSuchUpload, AccessDenied
 */
export function requireStarter(
  { bucket, uploadId }: UploadTarget,
  starter: StartedUpload | undefined,
  context: OperationContext,
): void {
  if (owns(context.principal, bucket)) return;
  if (starter === undefined) throw noSuchUpload(uploadId);
  requireAccess({ bucket, upload: starter }, context);
}
