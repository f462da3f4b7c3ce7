import { S3Error } from '../errors/s3-error.ts';
import type { Operation } from './operation.ts';

/**
 * CORS preflight. No bucket can have a CORS configuration yet, so S3's answer is the one it gives where
 * none is set. Nobody is authenticated: a browser sends no credentials with a preflight.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html
 */
export const preflight: Operation = (request, context) => {
  if (request.headers.get('origin') === undefined) {
    throw new S3Error('BadRequest', { message: 'Insufficient information. Origin request header needed.' });
  }
  const method = request.headers.get('access-control-request-method');
  if (method === undefined) {
    throw new S3Error('BadRequest', { message: 'Invalid Access-Control-Request-Method: null' });
  }
  const resource = context.operation.level === 'object' ? 'OBJECT' : 'BUCKET';
  throw new S3Error('AccessForbidden', { message: 'CORSResponse: CORS is not enabled for this bucket.', extra: { Method: method, ResourceType: resource } });
};
