import { owned } from '../../access/acl/in-force.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { aclResponse } from './acl-response.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAcl.html */
export const getBucketAcl: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  // Read past the cache, so that the answer shows an ACL that any replica has just put.
  const latest = await context.manifest.buckets.latest(bucket, context.call);
  return aclResponse(owned(latest, latest), context.accounts);
};
