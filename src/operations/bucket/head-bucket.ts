import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export const headBucket: Operation = async (request, context) => {
  await authorizedBucket(request, context);
  return { status: 200, headers: { 'x-amz-bucket-region': context.settings.region, 'x-amz-access-point-alias': 'false', 'content-type': 'application/xml' } };
};
