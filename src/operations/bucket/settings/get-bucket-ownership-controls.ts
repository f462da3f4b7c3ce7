import { S3Error } from '../../../errors/s3-error.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { OWNERSHIP_CONTROLS } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketOwnershipControls.html */
export const getBucketOwnershipControls: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { ownership } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (ownership === undefined) {
    throw new S3Error('OwnershipControlsNotFoundError', { extra: { BucketName: bucket.name } });
  }
  return { status: 200, body: xml(OWNERSHIP_CONTROLS, { rules: [{ ObjectOwnership: ownership }] }) };
};
