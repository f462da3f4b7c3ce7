import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { uploadTarget } from './upload-request.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export const abortMultipartUpload: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  await context.manifest.uploads.abort(uploadTarget(request, bucket), context.call);
  return { status: 204 };
};
