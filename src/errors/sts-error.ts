/**
 * Errors of the Security Token Service, with AWS's own messages. Source: "Common errors" of the STS API reference and
 * the errors of each action there.
 */
const TABLE = {
  AccessDenied: { status: 403, message: 'Access denied' },
  ExpiredToken: { status: 403, message: 'The security token included in the request is expired' },
  ExpiredTokenException: { status: 400, message: 'Token must not be expired' },
  IDPCommunicationError: {
    status: 400,
    message: 'The request could not be fulfilled because the identity provider could not be reached',
  },
  IDPRejectedClaim: { status: 403, message: 'The identity provider rejected the claim' },
  IncompleteSignature: { status: 400, message: 'The request signature does not conform to AWS standards.' },
  InternalFailure: {
    status: 500,
    message: 'The request processing has failed because of an unknown error, exception or failure.',
  },
  InvalidAction: { status: 400, message: 'The action or operation requested is invalid.' },
  InvalidClientTokenId: { status: 403, message: 'The security token included in the request is invalid.' },
  InvalidIdentityToken: { status: 400, message: 'The web identity token that was passed could not be validated' },
  MalformedPolicyDocument: { status: 400, message: 'The policy is not in the valid JSON format.' },
  MalformedQueryString: { status: 400, message: 'The query string contains a syntax error.' },
  MissingAction: { status: 400, message: 'The request is missing an action or a required parameter.' },
  MissingAuthenticationToken: { status: 403, message: 'Request is missing Authentication Token' },
  NotImplemented: { status: 501, message: 'This service issues no temporary credentials.' },
  PackedPolicyTooLarge: {
    status: 400,
    message: 'The session policy and tags exceed the size that a session token can hold.',
  },
  RequestEntityTooLarge: { status: 413, message: 'The request is too large.' },
  ServiceUnavailable: { status: 503, message: 'The request has failed due to a temporary failure of the server.' },
  SignatureDoesNotMatch: {
    status: 403,
    message:
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. ' +
      'Consult the service documentation for details.',
  },
  Throttling: { status: 400, message: 'Rate exceeded' },
  ValidationError: { status: 400, message: 'The input fails to satisfy the constraints specified by an AWS service.' },
} as const;

export type StsErrorCode = keyof typeof TABLE;

interface StsErrorOptions {
  readonly cause?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of STS that is an error. */
export class StsError extends Error {
  readonly code: StsErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: StsErrorCode,
    message: string = TABLE[code].message,
    { cause, headers = {} }: StsErrorOptions = {},
  ) {
    super(message, { cause });
    this.name = 'StsError';
    this.code = code;
    this.status = TABLE[code].status;
    this.headers = headers;
  }
}
