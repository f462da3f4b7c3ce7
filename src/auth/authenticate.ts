import { S3Error } from '../errors/s3-error.ts';
import type { HeaderLines } from './header-lines.ts';
import { authenticateHeader } from './header-v4.ts';
import { isStreaming, parsePayloadMode, type PayloadMode } from './payload-mode.ts';
import { authenticatePresignedV2 } from './presigned-v2.ts';
import { authenticateQuery } from './presigned-v4.ts';
import { queryMethod } from './query-method.ts';
import type { SignableRequest } from './raw-request.ts';
import { refuseRepeatedHeaders } from './required-headers.ts';
import type { AuthOptions, AuthVerdict, SigningCredential } from './verdict.ts';

/**
 * Decides who sent a request. It is called once, for every route, before any handler.
 *
 * A request without any trace of authentication is anonymous. Every other request is verified completely or refused.
 * Only the request as it came off the wire is looked at.
 * @throws S3Error as section "Authenticating Requests" of the S3 API reference says
 */
export function authenticate<C extends SigningCredential>(
  request: SignableRequest,
  options: AuthOptions<C>,
): AuthVerdict<C> {
  refuseRepeatedHeaders(request.headers);
  const authorization = request.headers.get('authorization');
  const inQuery = request.query.length === 0 ? undefined : queryMethod(request.query);
  if (authorization !== undefined) {
    if (inQuery !== undefined) {
      throw new S3Error('InvalidArgument', {
        message:
          'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, ' +
          'Signature query string parameter or the Authorization header should be specified',
        extra: { ArgumentName: 'Authorization' },
      });
    }
    return byHeader(authorization, request, options);
  }
  if (inQuery === 'v2') {
    if (options.presignedV2 !== true) throw signatureV2();
    return authenticatePresignedV2(request, {
      ...options,
      payload: anonymousPayload(request.headers),
      virtualBucket: request.virtualBucket,
    });
  }
  if (inQuery === 'v4') {
    return authenticateQuery(request, options);
  }
  return { kind: 'anonymous', payload: anonymousPayload(request.headers) };
}

/** The value of an unsupported header is not echoed: it may be a password. */
function byHeader<C extends SigningCredential>(
  value: string,
  request: SignableRequest,
  options: AuthOptions<C>,
): AuthVerdict<C> {
  const space = value.indexOf(' ');
  switch (space < 0 ? '' : value.slice(0, space)) {
    case 'AWS4-HMAC-SHA256':
      return authenticateHeader(value.slice(space + 1), request, options);
    case 'AWS4-ECDSA-P256-SHA256':
      throw new S3Error('NotImplemented', {
        extra: { Header: 'Authorization', additionalMessage: 'AWS4-ECDSA-P256-SHA256' },
      });
    case 'AWS':
      throw signatureV2();
    default:
      throw new S3Error('InvalidArgument', {
        message: 'Unsupported Authorization Type',
        extra: { ArgumentName: 'Authorization' },
      });
  }
}

function signatureV2(): S3Error {
  return new S3Error('InvalidRequest', {
    message: 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
  });
}

/**
 * botocore declares the framing of a request without SigV4 headers only by `x-amz-trailer` and the decoded
 * length: its signer, which would add `x-amz-content-sha256`, does not run.
 */
function anonymousPayload(headers: HeaderLines): PayloadMode {
  const sha256 = headers.get('x-amz-content-sha256');
  if (sha256 === undefined) {
    const trailing =
      headers.get('x-amz-trailer') !== undefined && headers.get('x-amz-decoded-content-length') !== undefined;
    return { kind: trailing ? 'streaming-unsigned-trailer' : 'unsigned' };
  }
  const payload = parsePayloadMode(sha256);
  if (isStreaming(payload) && payload.kind !== 'streaming-unsigned-trailer') {
    throw new S3Error('InvalidRequest', { message: 'A payload of signed chunks needs a signed request.' });
  }
  return payload;
}
