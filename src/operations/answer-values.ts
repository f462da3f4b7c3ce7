import type { Checksum } from '../protocol/checksums/algorithms.ts';
import type { S3Request } from '../protocol/request.ts';
import { encodeForListing } from '../protocol/percent.ts';

/** The XML elements that show a checksum; none if there is no checksum. */
export function checksumElements(
  checksum: Pick<Checksum, 'algorithm' | 'value'> | undefined,
): Readonly<Record<string, string>> {
  return checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: checksum.value };
}

/** The same with the checksum's type, for objects. */
export function objectChecksumElements(checksum: Checksum | undefined): Readonly<Record<string, string>> {
  return checksum === undefined ? {} : { ...checksumElements(checksum), ChecksumType: checksum.type };
}

/** The URL of an object, at the address under which the client reached the service. */
export function locationOf({ scheme, host, address }: S3Request, key: string): string {
  const path = address.virtualHost ? key : `${address.bucket ?? ''}/${key}`;
  return `${scheme}://${host}/${encodeForListing(path)}`;
}

/** `x-amz-bucket-arn`. Names of buckets hold nothing that would have to be escaped. */
export function bucketArn(name: string): string {
  return `arn:aws:s3:::${name}`;
}
