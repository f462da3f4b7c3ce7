import { S3Error } from '../errors/s3-error.ts';
import { formatErrorDate } from './amz-date.ts';
import type { QueryPair } from './canonical-query.ts';
import type { HeaderLines } from './header-lines.ts';
import { matchesV2 } from './matches-v2.ts';
import type { PayloadMode } from './payload-mode.ts';
import { coveredByV2, inV2Resource } from './query-method.ts';
import type { SignableRequest } from './raw-request.ts';
import { shownBytes, shownText } from './signed-text.ts';
import { credentialOf } from './session-token.ts';
import type { AuthOptions, AuthVerdict, SigningCredential } from './verdict.ts';

/**
 * Version 2 signs decoded text without separators. If a part held one of these characters, the text could be cut in
 * several ways.
 */
// oxlint-disable-next-line no-control-regex -- the control characters are the point
const AMBIGUOUS_NAME = /[\u0000-\u0020\u007f:=&?]/;
// oxlint-disable-next-line no-control-regex -- the control characters are the point
const CONTROL = /[\u0000-\u001f\u007f]/;
const DUMMY_SECRET = 'no secret: the access key is unknown';

interface PresignedV2Options<C extends SigningCredential> extends AuthOptions<C> {
  readonly payload: PayloadMode;
  /** Bucket that the Host header names; it is part of the resource. */
  readonly virtualBucket: string | undefined;
}

/**
 * SigV2 in the query (`AWSAccessKeyId`, `Expires`, `Signature`): what s3cmd's `signurl` and version 1 of
 * the AWS CLI and boto3 without a configured signature version still make for us-east-1. Only where
 * the configuration allows it. Source: S3 developer guide, "Signing and authenticating REST requests".
 *
 * @throws S3Error AccessDenied (a parameter missing, expired, or ambiguous where it is signed), InvalidAccessKeyId,
 * SignatureDoesNotMatch
 */
export function authenticatePresignedV2<C extends SigningCredential>(
  canonical: SignableRequest,
  options: PresignedV2Options<C>,
): AuthVerdict<C> {
  const request = { ...canonical, query: canonical.query.map(decoded) };
  const accessKeyId = single(request.query, 'AWSAccessKeyId');
  const expires = single(request.query, 'Expires');
  const signature = single(request.query, 'Signature');
  if (!/^\d{1,12}$/.test(expires)) {
    throw new S3Error('AccessDenied', { message: `Invalid date (should be seconds since epoch): ${expires}` });
  }
  refuseExpired(Number(expires) * 1000, request.now);
  refuseAmbiguous(request.query);

  const token = tokenOf(request);
  const credential = credentialOf(accessKeyId, token, options);
  const text = stringToSignV2(request, expires, options.virtualBucket);
  const matches = matchesV2(text, signature, credential?.secretAccessKey ?? DUMMY_SECRET);
  if (credential === undefined || !matches) {
    throw refusal(credential === undefined ? 'InvalidAccessKeyId' : 'SignatureDoesNotMatch', accessKeyId, {
      text,
      signature,
    });
  }
  return { kind: 'signed', method: 'query', accessKeyId, credential, payload: options.payload };
}

/** Version 2 signs query values as they are, not as they are encoded; latin1 text. */
function decoded({ name, value }: QueryPair): QueryPair {
  const plain = (text: string): string => Buffer.from(decodeURIComponent(text)).toString('latin1');
  return { name: plain(name), value: plain(value) };
}

/**
 * `VERB, Content-MD5, Content-Type, Expires`, all `x-amz-*` headers, and the resource; latin1 text.
 * SDKs hoist headers into the query of a presigned URL: there they count as if they had been sent.
 */
function stringToSignV2(request: SignableRequest, expires: string, virtualBucket: string | undefined): string {
  const { method, rawPath, query, headers } = request;
  const hoisted = new Map(query.toReversed().map(({ name, value }) => [name, value]));
  const valueOf = (name: string): string => sentValue(headers, name) ?? hoisted.get(name) ?? '';
  const given = [...headers.names, ...query.map((pair) => pair.name)];
  const names = [...new Set(given.filter((name) => name.startsWith('x-amz-')))].sort();
  const amzHeaders = names.map((name) => `${name}:${valueOf(name)}\n`).join('');
  const head = [method, valueOf('content-md5'), valueOf('content-type'), expires].join('\n');
  const bucket = virtualBucket === undefined ? '' : `/${virtualBucket}`;
  return `${head}\n${amzHeaders}${bucket}${rawPath}${subresources(query)}`;
}

/** A header that was sent wins over one in the query, also when it is empty: operations see it so, too. */
function sentValue(headers: HeaderLines, name: string): string | undefined {
  return headers.get(name) === undefined ? undefined : headers.canonicalValue(name);
}

/**
 * `x-amz-acl:private` may be a header, or the end of the value of the one before; `versionId=x` a parameter, or the end
 * of one. Such values are refused: whoever changes a link from the one to the other does not change what was signed.
 */
function refuseAmbiguous(query: readonly QueryPair[]): void {
  for (const { name, value } of query) {
    const covered = coveredByV2(name) || name === 'content-type' || name === 'content-md5';
    if (
      !covered ||
      !(AMBIGUOUS_NAME.test(name) || CONTROL.test(value) || (inV2Resource(name) && value.includes('&')))
    ) {
      continue;
    }
    throw new S3Error('AccessDenied', {
      message: 'A query parameter holds characters that version 2 of the signature cannot tell apart from its own.',
    });
  }
}

function subresources(query: readonly QueryPair[]): string {
  const signed = query.filter(({ name }) => inV2Resource(name));
  if (signed.length === 0) return '';
  const sorted = signed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `?${sorted.map(({ name, value }) => (value === '' ? name : `${name}=${value}`)).join('&')}`;
}

function single(query: readonly QueryPair[], name: string): string {
  const [value, another] = query.filter((pair) => pair.name === name);
  if (value === undefined || another !== undefined) {
    throw new S3Error('AccessDenied', {
      message: 'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
    });
  }
  return value.value;
}

/** Refuses a second one: only one of them can be the one that was signed. @throws S3Error InvalidToken */
function tokenOf({ query, headers }: SignableRequest): string | undefined {
  const inQuery = query.find(({ name }) => name === 'x-amz-security-token')?.value;
  const sent = headers.get('x-amz-security-token');
  if (inQuery !== undefined && sent !== undefined && inQuery !== sent) throw new S3Error('InvalidToken');
  return sent ?? inQuery;
}

function refuseExpired(end: number, now: number): void {
  if (now <= end) return;
  throw new S3Error('AccessDenied', {
    message: 'Request has expired',
    extra: { Expires: formatErrorDate(end), ServerTime: formatErrorDate(now) },
  });
}

/**
 * The same object is made for both codes, so that neither takes longer. Its texts are put together when the answer is
 * written.
 */
function refusal(
  code: 'InvalidAccessKeyId' | 'SignatureDoesNotMatch',
  accessKeyId: string,
  claim: { text: string; signature: string },
): S3Error {
  const whole = {
    AWSAccessKeyId: accessKeyId,
    get StringToSign() {
      return shownText(claim.text);
    },
    SignatureProvided: claim.signature,
    get StringToSignBytes() {
      return shownBytes(claim.text);
    },
  };
  const known = { AWSAccessKeyId: accessKeyId };
  return new S3Error(code, { extra: code === 'InvalidAccessKeyId' ? known : whole });
}
