import { S3Error } from '../../../errors/s3-error.ts';
import { taggingDocument } from '../../../protocol/tagging.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketTagging.html */
export const getBucketTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { tags } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (tags === undefined) throw new S3Error('NoSuchTagSet', { extra: { BucketName: bucket.name } });
  return { status: 200, body: taggingDocument(tags) };
};
