import type { S3Request } from '../protocol/request.ts';
import { encodeForListing } from '../protocol/url-encoding.ts';

/** The URL of an object, at the address under which the client reached the service. */
export function locationOf({ scheme, host, address }: S3Request, key: string): string {
  const path = address.virtualHost ? key : `${address.bucket ?? ''}/${key}`;
  return `${scheme}://${host}/${encodeForListing(path)}`;
}
