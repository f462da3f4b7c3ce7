import { LOCATION_CONSTRAINT } from '../../protocol/xml/bucket-shapes.ts';
import { xml } from '../../protocol/xml/document.ts';
import { bucketArn } from '../answer-values.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export const headBucket: Operation = async (_request, context) => {
  const { name } = context.bucket;
  const headers = {
    'x-amz-bucket-region': context.settings.region,
    'x-amz-bucket-arn': bucketArn(name),
    'x-amz-access-point-alias': 'false',
    'content-type': 'application/xml',
  };
  return { status: 200, headers };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html (us-east-1 is the empty constraint) */
export const getBucketLocation: Operation = async (_request, context) => {
  const { region } = context.settings;
  return { status: 200, body: xml(LOCATION_CONSTRAINT, region === 'us-east-1' ? '' : region) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html */
export const deleteBucket: Operation = async (_request, context) => {
  const { bucket } = context;
  const { buckets, listing, uploads } = context.manifest;
  await buckets.delete(bucket, (call) => listing.isEmpty(bucket, call), context.call);
  await uploads.discardAll(bucket, context.call);
  return { status: 204 };
};
