import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { untied, withTags } from './put-bucket-tagging.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketTagging.html */
export const deleteBucketTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  await context.manifest.buckets.amend(bucket, (settings) => withTags(untied(settings), []), context.call);
  return { status: 204 };
};
