import { authorizedBucketToDelete } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html */
export const deleteBucket: Operation = async (request, context) => {
  const bucket = await authorizedBucketToDelete(request, context);
  const { buckets, listing, uploads } = context.manifest;
  await buckets.delete(bucket, (call) => listing.isEmpty(bucket, call), context.call);
  await uploads.discardAll(bucket, context.call);
  return { status: 204 };
};
