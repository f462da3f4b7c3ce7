import { S3Error } from '../errors/s3-error.ts';
import { CHECKSUM_ALGORITHMS, checksumHeader } from '../protocol/checksums/algorithms.ts';
import type { HeaderReader, S3Request } from '../protocol/request.ts';

/**
 * Checks that the body is protected by Content-MD5 or by a checksum, which some operations demand. @throws S3Error
 * InvalidRequest
 */
export function requireBodyDigest(headers: HeaderReader): void {
  if (hasBodyDigest(headers)) return;
  throw new S3Error('InvalidRequest', {
    message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
  });
}

/**
 * The same for PutObject with a lock in its headers: what cannot be removed shall be what was meant. SDKs hoist the
 * checksum into the query of a presigned URL. @throws S3Error InvalidRequest
 */
export function requireLockedDigest({ headers, query }: Pick<S3Request, 'headers' | 'query'>): void {
  if (hasBodyDigest(headers) || hasBodyDigest(query)) return;
  throw new S3Error('InvalidRequest', {
    message:
      'Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters',
  });
}

function hasBodyDigest(said: Pick<HeaderReader, 'get'>): boolean {
  return (
    said.get('content-md5') !== undefined ||
    said.get('x-amz-trailer') !== undefined ||
    CHECKSUM_ALGORITHMS.some((algorithm) => said.get(checksumHeader(algorithm)) !== undefined)
  );
}
