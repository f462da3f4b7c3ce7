import { S3Error } from '../../errors/s3-error.ts';
import { heldBytes } from '../../streams/held-bytes.ts';
import { ownersBucket } from './owners-bucket.ts';
import type { Operation } from '../operation.ts';

/** The text as it was put. https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html */
export const getBucketPolicy: Operation = async (request, context) => {
  const bucket = await ownersBucket(request, context);
  const { policy } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (policy === undefined) throw new S3Error('NoSuchBucketPolicy', { extra: { BucketName: bucket.name } });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: heldBytes(Buffer.from(policy)) };
};
