import { readerOfCreation } from '../../access/creation-headers.ts';
import { owns } from '../../access/acl/permits.ts';
import type { StartedUpload } from '../../access/authorize.ts';
import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import { type Bucket, type Upload, type UploadContent, type UploadTarget } from '../../manifest/index.ts';
import { toS3Error } from '../failure.ts';
import type { OperationContext } from '../operation.ts';
import { mayAccess, ownAction, requireAccess } from '../permission.ts';

/**
 * Finds an open upload and checks that the caller may do this to it.
 * @throws S3Error NoSuchUpload (only to callers who might have one), AccessDenied
 */
export async function authorizedUpload(target: UploadTarget, context: OperationContext): Promise<Upload> {
  const { uploads } = context.manifest;
  return authorized(
    target,
    context.undecided === 'creation' ? uploads.read(target, context.call) : uploads.find(target, context.call),
    context,
  );
}

/**
 * The same for a part. The upload may be over by now; then the part is refused when it is written. @throws as
 * `authorizedUpload`
 */
export async function authorizedForPart(target: UploadTarget, context: OperationContext): Promise<Upload> {
  if (context.undecided === 'creation') return authorizedUpload(target, context);
  return authorized(target, context.manifest.uploads.recall(target, context.call), context);
}

/**
 * Waits for work that looks at more than the upload: at a part's source, at digests, at a list of parts. S3 looks for
 * the upload first: where the request is refused for another reason, an upload that `authorizedForPart` had only
 * remembered may be over, and then that is the answer. A request that the gateway could not serve is not looked at.
 * @throws as the work, and as `authorizedUpload`
 */
export async function heedingUpload<T>(target: UploadTarget, work: Promise<T>, context: OperationContext): Promise<T> {
  try {
    return await work;
  } catch (refusal) {
    const { code, status } = toS3Error(refusal);
    if (status >= 500 || code === 'NoSuchUpload') throw refusal;
    try {
      await authorizedUpload(target, context);
    } catch (error) {
      throw isS3Error(error) ? error : refusal;
    }
    throw refusal;
  }
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
 * Whether the caller may learn that an upload does not exist. So may callers who have the permission for any upload,
 * and callers who may write objects and have the permission for their own uploads.
 */
function mayLearn(bucket: Bucket, context: OperationContext): boolean {
  const { principal } = context;
  const action = ownAction(context);
  if (mayAccess(action, { bucket }, context)) return true;
  if (principal.kind === 'anonymous' || !mayAccess('s3:PutObject', { bucket }, context)) return false;
  return mayAccess(action, { bucket, upload: { ownerId: principal.account.canonicalId } }, context);
}

/**
 * The same decision for an operation that does not need the upload itself: the upload is not read for the owner of the
 * bucket. An ACL that lets everybody write into the bucket lets nobody into an upload, not even users of the owner.
 */
export async function requireUploadAccess(target: UploadTarget, context: OperationContext): Promise<void> {
  const { bucket } = target;
  const isDecidedByOwner = owns(context.principal, bucket) && context.undecided !== 'creation';
  if (isDecidedByOwner) requireAccess({ bucket, upload: { ownerId: bucket.ownerId } }, context);
  else await authorizedUpload(target, context);
}

/**
 * The same for Complete, which may be repeated when the upload is over. Then the tombstone says whose upload it was
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
 * The same decision before a repeated Complete is answered from the tombstone.
 * @throws S3Error NoSuchUpload, AccessDenied
 */
export function requireStarter({ bucket }: UploadTarget, starter: StartedUpload, context: OperationContext): void {
  if (owns(context.principal, bucket)) return;
  requireAccess({ bucket, upload: starter }, context);
}
