import { S3Error } from '../../../errors/s3-error.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { ABAC_STATUS } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { settingBody, without } from './setting-body.ts';

/**
 * Whether the bucket's tags count in conditions (`aws:ResourceTag`, `s3:BucketTag`).
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAbac.html
 */
export const putBucketAbac: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { Status } = await settingBody(request, ABAC_STATUS);
  if (Status !== 'Enabled' && Status !== 'Disabled') throw new S3Error('MalformedXML');
  await context.manifest.buckets.amend(
    bucket,
    (settings) => (Status === 'Enabled' ? { ...settings, abac: true } : without(settings, 'abac')),
    context.call,
  );
  return { status: 200 };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAbac.html */
export const getBucketAbac: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { abac } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  return { status: 200, body: xml(ABAC_STATUS, { Status: abac === true ? 'Enabled' : 'Disabled' }) };
};
