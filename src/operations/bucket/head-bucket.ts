import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { bucketArn } from './bucket-arn.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export const headBucket: Operation = async (request, context) => {
  const { name } = await authorizedBucket(request, context);
  const headers = {
    'x-amz-bucket-region': context.settings.region,
    'x-amz-bucket-arn': bucketArn(name),
    'x-amz-access-point-alias': 'false',
    'content-type': 'application/xml',
  };
  return { status: 200, headers };
};
