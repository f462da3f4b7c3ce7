import { S3Error } from '../errors/s3-error.ts';
import { formatAmzDate, formatErrorDate, parseAmzDate } from './amz-date.ts';
import { parsePayloadMode, UNSIGNED_PAYLOAD, type PayloadMode } from './payload-mode.ts';
import type { SignableRequest } from './raw-request.ts';
import { requireSignedHeaders } from './required-headers.ts';
import { TOKEN_HEADER } from './session-token.ts';
import { MALFORMED_CREDENTIAL, parseCredential, scopeDateFault, scopeFault } from './scope.ts';
import type { CredentialScope, ScopeFault } from './scope.ts';
import {
  DEFAULT_MAX_SKEW_MS,
  type AuthOptions,
  type AuthVerdict,
  type OtherService,
  type SigningCredential,
} from './verdict.ts';
import { readSignedHeaders } from './signed-headers.ts';
import { verifySignature, type SignatureClaim } from './verify-signature.ts';

const COMPONENTS = 3;

interface AuthorizationParts {
  readonly scope: CredentialScope;
  readonly signedHeaders: string;
  readonly signature: string;
}

/**
 * SigV4 in the Authorization header; `components` is what follows the algorithm's name. Order of
 * the checks: date, skew, syntax, region, access key, scope date, payload hash, signature.
 */
export function authenticateHeader<C extends SigningCredential>(
  components: string,
  request: SignableRequest,
  options: AuthOptions<C>,
): AuthVerdict<C> {
  const amzDate = requestDate(request, options.maxSkewMs ?? DEFAULT_MAX_SKEW_MS);
  const { scope, signature, signedHeaders } = parseComponents(components);
  const { names, fault: listFault } = readSignedHeaders(signedHeaders);
  if (listFault !== undefined) {
    throw malformed({ message: listFault });
  }
  const fault = scopeFault(scope, options);
  if (fault !== undefined) {
    throw malformed(fault);
  }
  const payloadHash = options.service?.bodyHash ?? request.headers.get('x-amz-content-sha256') ?? UNSIGNED_PAYLOAD;
  const claim: SignatureClaim = {
    method: 'header',
    scope,
    signedHeaders: names,
    signature,
    amzDate,
    payloadHash,
    sessionToken: request.headers.get(TOKEN_HEADER),
  };
  return verifySignature(claim, request, { ...options, check: checkHeaders });
}

/** What comes after the access key and before the signature. */
function checkHeaders(
  { scope, amzDate, signedHeaders }: SignatureClaim,
  { headers }: SignableRequest,
  service?: OtherService,
): PayloadMode {
  const dateFault = scopeDateFault(scope, amzDate);
  if (dateFault !== undefined) {
    throw malformed(dateFault);
  }
  const sha256 = service?.bodyHash ?? headers.get('x-amz-content-sha256');
  if (sha256 === undefined) {
    throw new S3Error('InvalidRequest', { message: 'Missing required header for this request: x-amz-content-sha256' });
  }
  const payload = parsePayloadMode(sha256);
  requireSignedHeaders(headers, signedHeaders);
  return payload;
}

/** `x-amz-date`, else `Date`, as it stands in the string to sign. */
function requestDate(request: SignableRequest, maxSkewMs: number): string {
  const amzDate = request.headers.get('x-amz-date');
  const sent = amzDate ?? request.headers.get('date') ?? '';
  const exact = parseAmzDate(sent);
  const time = exact ?? (amzDate === undefined ? Date.parse(sent) : NaN);
  if (Number.isNaN(time)) {
    throw new S3Error('AccessDenied', { message: 'AWS authentication requires a valid Date or x-amz-date header' });
  }
  if (Math.abs(request.now - time) > maxSkewMs) {
    throw new S3Error('RequestTimeTooSkewed', {
      extra: { RequestTime: sent, ServerTime: formatErrorDate(request.now), MaxAllowedSkewMilliseconds: maxSkewMs },
    });
  }
  return exact === undefined ? formatAmzDate(time) : sent;
}

function parseComponents(components: string): AuthorizationParts {
  let [credential, signedHeaders, signature] = ['', '', ''];
  let count = 0;
  // One more than is allowed, which is enough to see that there are too many.
  for (let from = 0; from <= components.length && count <= COMPONENTS; count += 1) {
    const comma = components.indexOf(',', from);
    const end = comma < 0 ? components.length : comma;
    const equals = components.indexOf('=', from);
    if (equals > from && equals < end) {
      const value = components.slice(equals + 1, end).trim();
      switch (components.slice(from, equals).trim()) {
        case 'Credential':
          credential = value;
          break;
        case 'SignedHeaders':
          signedHeaders = value;
          break;
        case 'Signature':
          signature = value;
          break;
        default:
      }
    }
    from = end + 1;
  }
  if (credential === '' || signedHeaders === '' || signature === '' || count !== COMPONENTS) {
    throw malformed({
      message: 'the authorization header requires three components: Credential, SignedHeaders, and Signature.',
    });
  }
  const scope = parseCredential(credential);
  if (scope === undefined) {
    throw malformed(MALFORMED_CREDENTIAL);
  }
  return { scope, signedHeaders, signature };
}

/** The answer to a wrong region names the right one, and SDKs sign again for it. */
function malformed(fault: ScopeFault): S3Error {
  const message = `The authorization header is malformed; ${fault.message}`;
  if (fault.region === undefined) {
    return new S3Error('AuthorizationHeaderMalformed', { message });
  }
  return new S3Error('AuthorizationHeaderMalformed', {
    message,
    extra: { Region: fault.region },
    headers: { 'x-amz-bucket-region': fault.region },
  });
}
