import { formatAmzDate, parseAmzDate } from '../../auth/amz-date.ts';
import { queryValue } from '../../auth/canonical-query.ts';
import { UNSIGNED_PAYLOAD } from '../../auth/payload-mode.ts';
import { declaredPayloadHash } from '../../auth/presigned-v4.ts';
import type { SignableRequest } from '../../auth/raw-request.ts';
import { parseCredential } from '../../auth/scope.ts';
import { isBoundedList, splitSignedHeaders } from '../../auth/signed-headers.ts';
import type { SignatureClaim } from '../../auth/verify-signature.ts';

const SIGNATURE_PARAMETER = 'X-Amz-Signature';
const AWS4 = /^\s*AWS4-HMAC-SHA256\s+/i;

/**
 * What a request claims, read with more patience than authentication has: what that refuses is to be explained here.
 * Undefined when there is no signature of version 4 to speak of, or one that would take more work than the request has
 * bytes.
 */
export function readSignatureClaim(request: SignableRequest): SignatureClaim | undefined {
  const authorization = request.headers.get('authorization');
  if (authorization !== undefined && !AWS4.test(authorization)) return undefined;
  const claim = authorization === undefined ? queryClaim(request) : headerClaim(authorization, request);
  return claim !== undefined && isBoundedList(claim.signedHeaders) ? claim : undefined;
}

/** The moment at which a claim says it was made, milliseconds since 1970. */
export function claimTime(claim: SignatureClaim): number | undefined {
  return parseAmzDate(claim.amzDate);
}

function headerClaim(authorization: string, { headers }: SignableRequest): SignatureClaim | undefined {
  const part = (name: string): string | undefined =>
    new RegExp(`[\\s,]${name}\\s*=\\s*([^\\s,]+)`, 'i').exec(authorization)?.[1];
  const scope = parseCredential(part('Credential') ?? '');
  const signedHeaders = part('SignedHeaders');
  const signature = part('Signature');
  const sent = headers.get('x-amz-date') ?? headers.get('date') ?? '';
  const time = parseAmzDate(sent) ?? Date.parse(sent);
  if (scope === undefined || signedHeaders === undefined || signature === undefined || Number.isNaN(time)) {
    return undefined;
  }
  const payloadHash = headers.get('x-amz-content-sha256') ?? UNSIGNED_PAYLOAD;
  return {
    method: 'header',
    scope,
    amzDate: formatAmzDate(time),
    signedHeaders: splitSignedHeaders(signedHeaders),
    signature,
    payloadHash,
  };
}

function queryClaim(request: SignableRequest): SignatureClaim | undefined {
  const { query } = request;
  const scope = parseCredential(queryValue(query, 'X-Amz-Credential') ?? '');
  const amzDate = queryValue(query, 'X-Amz-Date');
  const list = queryValue(query, 'X-Amz-SignedHeaders');
  const signature = queryValue(query, SIGNATURE_PARAMETER);
  if (scope === undefined || amzDate === undefined || list === undefined || signature === undefined) {
    return undefined;
  }
  const signedHeaders = splitSignedHeaders(list);
  return {
    method: 'query',
    scope,
    amzDate,
    signedHeaders,
    signature,
    payloadHash: declaredPayloadHash(request, signedHeaders) ?? UNSIGNED_PAYLOAD,
    signatureParameter: SIGNATURE_PARAMETER,
  };
}
