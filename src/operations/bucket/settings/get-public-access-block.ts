import { S3Error } from '../../../errors/s3-error.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { PUBLIC_ACCESS_BLOCK_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetPublicAccessBlock.html */
export const getPublicAccessBlock: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { publicAccessBlock: block } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (block === undefined) {
    throw new S3Error('NoSuchPublicAccessBlockConfiguration', { extra: { BucketName: bucket.name } });
  }
  const value = {
    BlockPublicAcls: block.blockPublicAcls,
    IgnorePublicAcls: block.ignorePublicAcls,
    BlockPublicPolicy: block.blockPublicPolicy,
    RestrictPublicBuckets: block.restrictPublicBuckets,
  };
  return { status: 200, body: xml(PUBLIC_ACCESS_BLOCK_CONFIGURATION, value) };
};
