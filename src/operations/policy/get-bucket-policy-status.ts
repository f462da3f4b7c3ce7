import { policyOf } from '../../access/bucket-policy.ts';
import { S3Error } from '../../errors/s3-error.ts';
import { xml } from '../../protocol/xml/document.ts';
import { POLICY_STATUS } from '../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/**
 * Whether the policy lets in who cannot be counted.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicyStatus.html
 */
export const getBucketPolicyStatus: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const policy = policyOf(await context.manifest.buckets.latest(bucket, context.call));
  if (policy === undefined) throw new S3Error('NoSuchBucketPolicy', { extra: { BucketName: bucket.name } });
  return { status: 200, body: xml(POLICY_STATUS, { IsPublic: policy.isPublic }) };
};
