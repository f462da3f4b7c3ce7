import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { without } from './setting-body.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketWebsite.html */
export const deleteBucketWebsite: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  await context.manifest.buckets.amend(bucket, (settings) => without(settings, 'website'), context.call);
  return { status: 204 };
};
