import { S3Error } from '../errors/s3-error.ts';
import { CHECKSUM_ALGORITHMS, checksumHeader } from '../protocol/checksums/algorithms.ts';
import type { HeaderReader } from '../protocol/request.ts';

/**
 * Checks that the body is protected by Content-MD5 or by a checksum, which some operations demand. @throws S3Error
 * InvalidRequest
 */
export function requireBodyDigest(headers: HeaderReader): void {
  if (headers.get('content-md5') !== undefined || headers.get('x-amz-trailer') !== undefined) return;
  if (CHECKSUM_ALGORITHMS.some((algorithm) => headers.get(checksumHeader(algorithm)) !== undefined)) return;
  throw new S3Error('InvalidRequest', {
    message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
  });
}
