import { owned } from '../../access/acl/in-force.ts';
import { namedBucket } from '../authorized-bucket.ts';
import { authorizedObject } from '../authorized-object.ts';
import { versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { aclResponse } from './acl-response.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export const getObjectAcl: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  const object = await authorizedObject(versionTarget(request, bucket, context), context);
  return { ...aclResponse(owned(object, bucket), context.accounts), headers: versionHeaders(bucket, object.versionId) };
};
