import { owns } from '../../access/acl/permits.ts';
import { S3Error } from '../../errors/s3-error.ts';
import type { Bucket } from '../../manifest/index.ts';
import type { S3Request } from '../../protocol/request.ts';
import { authorizedBucket, callerId } from '../authorized-bucket.ts';
import type { OperationContext } from '../operation.ts';

/**
 * The bucket of a request about its policy, which is for its owner's account alone, whomever the policy lets.
 * @throws S3Error NoSuchBucket, AccessDenied, MethodNotAllowed (permitted, and of another account)
 */
export async function ownersBucket(request: S3Request, context: OperationContext): Promise<Bucket> {
  const bucket = await authorizedBucket(request, context);
  callerId(context);
  if (!owns(context.principal, bucket)) {
    throw new S3Error('MethodNotAllowed', {
      extra: { Method: request.method, ResourceType: 'BUCKETPOLICY' },
      headers: { allow: '' },
    });
  }
  return bucket;
}
