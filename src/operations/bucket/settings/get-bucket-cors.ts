import { S3Error } from '../../../errors/s3-error.ts';
import { corsDocument } from '../../../protocol/cors/cors-document.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/**
 * Answers the bucket's own rules. The server's default rules are no setting of the bucket.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketCors.html
 */
export const getBucketCors: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { cors } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (cors === undefined) throw new S3Error('NoSuchCORSConfiguration', { extra: { BucketName: bucket.name } });
  return { status: 200, body: corsDocument(cors) };
};
