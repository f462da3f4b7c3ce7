import { namedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { requireUploadAccess } from './authorized-upload.ts';
import { uploadTarget } from './upload-request.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export const abortMultipartUpload: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  const target = uploadTarget(request, bucket);
  await requireUploadAccess(target, context);
  await context.manifest.uploads.abort(target, context.call);
  return { status: 204 };
};
