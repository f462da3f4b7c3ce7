import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { without } from './setting-body.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketCors.html */
export const deleteBucketCors: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  await context.manifest.buckets.amend(bucket, (settings) => without(settings, 'cors'), context.call);
  return { status: 204 };
};
