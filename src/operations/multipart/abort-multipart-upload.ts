import { invalidArgument, isS3Error } from '../../errors/s3-error.ts';
import type { UploadTarget } from '../../manifest/index.ts';
import { preconditionFailed } from '../../protocol/conditions.ts';
import { parseHttpDate } from '../../protocol/http-date.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireUploadAccess } from './authorized-upload.ts';
import { uploadTarget } from './upload-request.ts';

const INITIATED = 'x-amz-if-match-initiated-time';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export const abortMultipartUpload: Operation = async (request, context) => {
  const { bucket } = context;
  const target = uploadTarget(request, bucket);
  await requireUploadAccess(target, context);
  await requireInitiated(target, request.headers.get(INITIATED), context);
  await context.manifest.uploads.abort(target, context.call);
  return { status: 204 };
};

/**
 * Checks `x-amz-if-match-initiated-time`. An upload that is over has no such time; then Abort itself answers.
 * @throws S3Error InvalidArgument, PreconditionFailed
 */
async function requireInitiated(
  target: UploadTarget,
  header: string | undefined,
  { manifest, call }: OperationContext,
): Promise<void> {
  if (header === undefined) return;
  const time = parseHttpDate(header);
  if (time === undefined) throw invalidArgument(INITIATED, header, 'The time is not a date');
  try {
    const { initiatedAt } = await manifest.uploads.find(target, call);
    if (initiatedAt !== time) throw preconditionFailed(INITIATED);
  } catch (error) {
    if (!isS3Error(error, 'NoSuchUpload')) throw error;
  }
}
