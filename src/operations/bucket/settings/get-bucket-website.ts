import { S3Error } from '../../../errors/s3-error.ts';
import { websiteDocument } from '../../../protocol/website/website.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketWebsite.html */
export const getBucketWebsite: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { website } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (website === undefined) throw new S3Error('NoSuchWebsiteConfiguration', { extra: { BucketName: bucket.name } });
  return { status: 200, body: websiteDocument(website) };
};
