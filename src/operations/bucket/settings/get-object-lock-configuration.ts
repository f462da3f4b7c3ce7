import { S3Error } from '../../../errors/s3-error.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { OBJECT_LOCK_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectLockConfiguration.html */
export const getObjectLockConfiguration: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { objectLock } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (objectLock === undefined) {
    throw new S3Error('ObjectLockConfigurationNotFoundError', { extra: { BucketName: bucket.name } });
  }
  const { default: retention } = objectLock;
  const rule = retention && {
    DefaultRetention: { Mode: retention.mode, Days: retention.days, Years: retention.years },
  };
  return { status: 200, body: xml(OBJECT_LOCK_CONFIGURATION, { ObjectLockEnabled: 'Enabled', Rule: rule }) };
};
