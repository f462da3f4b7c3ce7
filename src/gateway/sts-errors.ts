import { S3Error } from '../errors/s3-error.ts';
import { StsError, type StsErrorCode } from '../errors/sts-error.ts';
import type { S3ErrorCode } from '../errors/error-table.ts';

/** STS's names for errors that have other names in S3; message undefined: S3's message is used. */
const TRANSLATED: Partial<Record<S3ErrorCode, readonly [code: StsErrorCode, own?: 'keepMessage']>> = {
  AccessDenied: ['AccessDenied', 'keepMessage'],
  AuthorizationHeaderMalformed: ['IncompleteSignature', 'keepMessage'],
  AuthorizationQueryParametersError: ['IncompleteSignature', 'keepMessage'],
  ExpiredToken: ['ExpiredToken'],
  InvalidAccessKeyId: ['InvalidClientTokenId'],
  InvalidToken: ['InvalidClientTokenId'],
  InvalidURI: ['MalformedQueryString'],
  MaxMessageLengthExceeded: ['RequestEntityTooLarge'],
  RequestTimeTooSkewed: ['SignatureDoesNotMatch', 'keepMessage'],
  ServiceUnavailable: ['ServiceUnavailable', 'keepMessage'],
  SignatureDoesNotMatch: ['SignatureDoesNotMatch'],
  SlowDown: ['Throttling'],
};

/** Makes the STS error to answer of anything that was thrown while a call was served. */
export function toStsError(error: unknown): StsError {
  if (error instanceof StsError) return error;
  if (!(error instanceof S3Error)) return new StsError('InternalFailure', undefined, { cause: error });
  const [code, own] = TRANSLATED[error.code] ?? [
    error.status >= 500 ? 'InternalFailure' : 'ValidationError',
    'keepMessage',
  ];
  // Clients sign again with the region that is named.
  const wrongScope = code === 'IncompleteSignature' && 'Region' in error.extra;
  if (wrongScope) {
    return new StsError('SignatureDoesNotMatch', 'Credential should be scoped to a valid region.', { cause: error });
  }
  const options = { cause: error, headers: error.code === 'SlowDown' ? error.headers : {} };
  return new StsError(code, own === 'keepMessage' && code !== 'InternalFailure' ? error.message : undefined, options);
}
