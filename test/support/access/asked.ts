import { type AskedRequest, NO_REQUEST } from '../../../src/access/request-keys.ts';
import type { S3Request } from '../../../src/protocol/request.ts';

/** What policies see of a request that came over no connection. */
export function askedOf(
  { address: { bucket, key }, headers, query, authMethod }: S3Request,
  operation: string,
): AskedRequest {
  return { ...NO_REQUEST, operation, bucket, key, headers, query, authMethod };
}
