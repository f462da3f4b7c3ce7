import { S3Error, invalidArgument } from '../errors/s3-error.ts';
import { parseAmzDate } from './amz-date.ts';
import {
  type CredentialScope,
  MALFORMED_CREDENTIAL,
  parseCredential,
  scopeDateFault,
  scopeFault,
  type ScopeRules,
} from './scope.ts';
import { matchesV2 } from './matches-v2.ts';
import { credentialOf } from './session-token.ts';
import { SIGV4_ALGORITHM, sign, signatureMatches } from './signature.ts';
import { shownBytes } from './signed-text.ts';
import { deriveSigningKey } from './signing-key.ts';
import type { AuthOptions, SigningCredential } from './verdict.ts';

/** Fields of a form by lower-case name. */
export interface SignedFields {
  get(name: string): string | undefined;
}

/** Who signed a form. Anonymous when no field has to do with signatures. */
export type FormVerdict<C extends SigningCredential> =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'signed'; readonly method: 'form'; readonly accessKeyId: string; readonly credential: C };

const V4_FIELDS = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature'] as const;
const V2_FIELDS = ['awsaccesskeyid', 'signature'] as const;
/** As clients write them. */
const SPELLING: Readonly<Record<string, string>> = {
  'x-amz-algorithm': 'X-Amz-Algorithm',
  'x-amz-credential': 'X-Amz-Credential',
  'x-amz-date': 'X-Amz-Date',
  'x-amz-signature': 'X-Amz-Signature',
  awsaccesskeyid: 'AWSAccessKeyId',
  signature: 'signature',
};
const BASE64_TEXT = /^[A-Za-z0-9+/=\r\n]*$/;
const DUMMY_SECRET = 'no secret: the access key is unknown';

/**
 * Who signed the policy of a form. What the policy says is judged by the operation; here it is text.
 * Source: "Creating a POST policy" of the S3 API reference; version 2 is HMAC-SHA1 over the same text.
 *
 * @throws S3Error AccessDenied (a policy that nobody signed), InvalidArgument (a field missing or malformed),
 *   InvalidRequest (version 2 where it is not allowed), InvalidAccessKeyId, InvalidToken, ExpiredToken,
 *   SignatureDoesNotMatch
 */
export function authenticateForm<C extends SigningCredential>(
  fields: SignedFields,
  options: AuthOptions<C>,
): FormVerdict<C> {
  const isV4 = V4_FIELDS.some((name) => fields.get(name) !== undefined);
  const isV2 = V2_FIELDS.some((name) => fields.get(name) !== undefined);
  if (!isV4 && !isV2) {
    if (fields.get('policy') === undefined) return { kind: 'anonymous' };
    // An unsigned policy gives no right.
    throw new S3Error('AccessDenied');
  }
  if (!isV4 && options.presignedV2 !== true) {
    throw new S3Error('InvalidRequest', {
      message: 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    });
  }
  // An empty one is judged as a policy, by the operation.
  const policy = fields.get('policy') ?? required(fields, 'policy');
  if (!BASE64_TEXT.test(policy)) {
    throw new S3Error('InvalidPolicyDocument', { message: 'Invalid Policy: Invalid Base64 encoding.' });
  }
  return isV4 ? byV4(fields, policy, options) : byV2(fields, policy, options);
}

function byV4<C extends SigningCredential>(
  fields: SignedFields,
  policy: string,
  options: AuthOptions<C>,
): FormVerdict<C> {
  const [algorithm, credentialText, amzDate, signature] = V4_FIELDS.map((name) => required(fields, name)) as [
    string,
    string,
    string,
    string,
  ];
  if (algorithm !== SIGV4_ALGORITHM) {
    throw fieldFault('x-amz-algorithm', algorithm, `X-Amz-Algorithm only supports "${SIGV4_ALGORITHM}"`);
  }
  const scope = checkedScope(credentialText, amzDate, options);
  const { accessKeyId } = scope;
  const credential = credentialOf(accessKeyId, fields.get('x-amz-security-token'), options);
  // With an unknown key any secret serves: the form is refused after the same work. Signing keys of forms are not
  // remembered: forms are signed for a long time, and their sender chooses the day.
  const key = deriveSigningKey(credential?.secretAccessKey ?? DUMMY_SECRET, scope);
  const matches = signatureMatches(sign(key, policy), signature);
  return decided({ credential, matches, accessKeyId, policy, signature });
}

function checkedScope(credential: string, amzDate: string, rules: ScopeRules): CredentialScope {
  const scope = parseCredential(credential);
  if (scope === undefined) {
    throw fieldFault(
      'x-amz-credential',
      credential,
      `Error parsing the X-Amz-Credential parameter; ${MALFORMED_CREDENTIAL.message}`,
    );
  }
  if (parseAmzDate(amzDate) === undefined) {
    throw fieldFault('x-amz-date', amzDate, "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  const fault = scopeFault(scope, rules) ?? scopeDateFault(scope, amzDate);
  if (fault !== undefined) {
    throw fieldFault('x-amz-credential', credential, `Error parsing the X-Amz-Credential parameter; ${fault.message}`);
  }
  return scope;
}

function byV2<C extends SigningCredential>(
  fields: SignedFields,
  policy: string,
  options: AuthOptions<C>,
): FormVerdict<C> {
  const [accessKeyId, signature] = V2_FIELDS.map((name) => required(fields, name)) as [string, string];
  const credential = credentialOf(accessKeyId, fields.get('x-amz-security-token'), options);
  const matches = matchesV2(policy, signature, credential?.secretAccessKey ?? DUMMY_SECRET);
  return decided({ credential, matches, accessKeyId, policy, signature });
}

interface Decision<C> {
  readonly credential: C | undefined;
  readonly matches: boolean;
  readonly accessKeyId: string;
  readonly policy: string;
  readonly signature: string;
}

function decided<C extends SigningCredential>({
  credential,
  matches,
  accessKeyId,
  policy,
  signature,
}: Decision<C>): FormVerdict<C> {
  if (credential === undefined) throw new S3Error('InvalidAccessKeyId', { extra: { AWSAccessKeyId: accessKeyId } });
  if (!matches) {
    throw new S3Error('SignatureDoesNotMatch', {
      extra: {
        AWSAccessKeyId: accessKeyId,
        StringToSign: policy,
        SignatureProvided: signature,
        get StringToSignBytes() {
          return shownBytes(Buffer.from(policy).toString('latin1'));
        },
      },
    });
  }
  return { kind: 'signed', method: 'form', accessKeyId, credential };
}

function required(fields: SignedFields, name: string): string {
  const value = fields.get(name);
  if (value !== undefined && value !== '') return value;
  const spelled = SPELLING[name] ?? name;
  throw fieldFault(
    name,
    '',
    `Bucket POST must contain a field named '${spelled}'.  If it is specified, please check the order of the fields.`,
  );
}

function fieldFault(name: string, value: string, message: string): S3Error {
  return invalidArgument(SPELLING[name] ?? name, value, message);
}
