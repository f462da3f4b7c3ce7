import { owned } from '../../access/acl/in-force.ts';
import { namedBucket, objectKey, requireNullVersion } from '../authorized-bucket.ts';
import { authorizedObject } from '../authorized-object.ts';
import type { Operation } from '../operation.ts';
import { aclResponse } from './acl-response.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export const getObjectAcl: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  requireNullVersion(request.query.get('versionId'));
  const object = await authorizedObject({ bucket, key: objectKey(request) }, context);
  return aclResponse(owned(object, bucket), context.accounts);
};
