import { S3Error } from '../../errors/s3-error.ts';
import type { S3Request } from '../../protocol/request.ts';

const ENDPOINT = 's3-accelerate.';

/**
 * Refuses a copy through an acceleration endpoint, as S3 refuses copies between regions there. @throws S3Error
 * InvalidRequest
 */
export function refuseAcceleratedCopy({ host, address }: S3Request): void {
  const endpoint = address.virtualHost ? host.slice((address.bucket ?? '').length + 1) : host;
  if (!endpoint.toLowerCase().startsWith(ENDPOINT)) return;
  throw new S3Error('InvalidRequest', { message: 'Copies are not supported through a transfer acceleration endpoint' });
}
