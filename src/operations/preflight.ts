import { S3Error, isS3Error } from '../errors/s3-error.ts';
import type { Bucket } from '../manifest/index.ts';
import { CORS_METHODS, badHeaderName, corsHeaders } from '../protocol/cors/cors-rule.ts';
import type { S3Request } from '../protocol/request.ts';
import { bucketName } from './named-bucket.ts';
import type { OperationWithoutBucket, RequestContext } from './operation.ts';

/**
 * The CORS preflight. It is not authenticated: a browser sends no credentials with it, and the address may be one that
 * was presigned for another method. It tells what S3 tells every caller about a bucket: whether it exists, and whether
 * it allows this request. https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html
 */
export const preflight: OperationWithoutBucket = async (request, context) => {
  const origin = request.headers.get('origin');
  if (origin === undefined || origin === '') {
    throw new S3Error('BadRequest', { message: 'Insufficient information. Origin request header needed.' });
  }
  const method = request.headers.get('access-control-request-method');
  if (method === undefined || !CORS_METHODS.includes(method)) {
    throw new S3Error('BadRequest', { message: `Invalid Access-Control-Request-Method: ${method ?? 'null'}` });
  }
  const requestHeaders = request.headers.get('access-control-request-headers');
  const bad = badHeaderName(requestHeaders);
  if (bad !== undefined) {
    throw new S3Error('BadRequest', {
      message: `Access-Control-Request-Headers "${bad}" contains invalid character.`,
    });
  }
  const bucket = await anyonesBucket(request, context);
  if (bucket === undefined) throw forbidden('CORSResponse: Bucket not found', method, context);
  const rules = bucket.settings.cors ?? context.settings.cors;
  if (rules.length === 0) throw forbidden('CORSResponse: CORS is not enabled for this bucket.', method, context);
  const headers = corsHeaders(rules, { origin, method, requestHeaders });
  if (headers === undefined) throw forbidden(undefined, method, context);
  return { status: 200, headers };
};

async function anyonesBucket(request: S3Request, context: RequestContext): Promise<Bucket | undefined> {
  try {
    const bucket = await context.manifest.buckets.getForStranger(bucketName(request), context.call);
    context.logAccess(bucket);
    return bucket;
  } catch (error) {
    if (isS3Error(error, 'NoSuchBucket')) return undefined;
    throw error;
  }
}

function forbidden(message: string | undefined, method: string, { operation }: RequestContext): S3Error {
  return new S3Error('AccessForbidden', {
    ...(message !== undefined && { message }),
    extra: { Method: method, ResourceType: operation.level.toUpperCase() },
  });
}
