import { S3Error } from '../../errors/s3-error.ts';
import type { Bucket } from '../../manifest/index.ts';
import { ACCOUNT_HEADER } from '../../protocol/control-address.ts';
import type { S3Request } from '../../protocol/request.ts';
import { namedBucket } from '../authorized-bucket.ts';
import type { OperationContext } from '../operation.ts';

/**
 * The bucket that a call of S3 Control is about, without checking permission; the account it names must be the
 * caller's own.
 * @throws S3Error AccessDenied, NoSuchBucket
 */
export async function controlBucket(request: S3Request, context: OperationContext): Promise<Bucket> {
  const { principal } = context;
  const own = principal.kind === 'anonymous' ? undefined : principal.account.accountNumber;
  if (own === undefined || request.headers.get(ACCOUNT_HEADER) !== own) throw new S3Error('AccessDenied');
  return namedBucket(request, context);
}
