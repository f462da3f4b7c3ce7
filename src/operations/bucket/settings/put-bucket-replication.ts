import { S3Error } from '../../../errors/s3-error.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { elementsOf, notOffered } from './not-offered.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html */
export const putBucketReplication: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  await elementsOf(request, { root: 'ReplicationConfiguration', children: ['Role', 'Rule'] });
  if (bucket.versioning !== 'enabled') {
    throw new S3Error('InvalidRequest', {
      message: "Versioning must be 'Enabled' on the bucket to apply a replication configuration",
    });
  }
  throw notOffered('Replication');
};
