import { S3Error } from '../errors/s3-error.ts';
import { canonicalRequests } from './canonical-request.ts';
import type { ChunkSigningContext } from './chunk-signature.ts';
import type { PayloadMode } from './payload-mode.ts';
import type { SignableRequest } from './raw-request.ts';
import type { CredentialScope } from './scope.ts';
import { haveAllCome } from './signed-headers.ts';
import { shownBytes, shownText } from './signed-text.ts';
import { credentialOf } from './session-token.ts';
import { signatureMatches, stringToSign } from './signature.ts';
import { deriveSigningKey } from './signing-key.ts';
import type { HmacKey } from '../streams/hmac-key.ts';
import type { AuthOptions, AuthVerdict, OtherService, SigningCredential } from './verdict.ts';

/** What a client claims, by header or by query, before the payload hash was looked at. */
export interface SignatureClaim {
  readonly method: 'header' | 'query';
  readonly scope: CredentialScope;
  readonly amzDate: string;
  readonly signedHeaders: readonly string[];
  /** Hex, as sent. */
  readonly signature: string;
  /** The literal hash line of the canonical request. */
  readonly payloadHash: string;
  readonly signatureParameter?: string;
  /** Temporary credentials come with one. */
  readonly sessionToken?: string | undefined;
}

/**
 * Stands in for the credential of an unknown key, so that the refusal takes the same work. Any secret serves. The id is
 * as long as real ones, because looking up a long name takes longer.
 */
const DUMMY_KEY_ID = 'UNKNOWNUNKNOWNUNKNOW';
const DUMMY_SECRET = 'no secret: the access key is unknown';

interface VerifyOptions<C extends SigningCredential> extends AuthOptions<C> {
  /**
   * Checks what must hold of a request whatever the secret is. Throws an S3Error, unless the key is unknown, which is
   * refused first; else says how the body is checked.
   */
  readonly check: (claim: SignatureClaim, request: SignableRequest, service?: OtherService) => PayloadMode;
}

/**
 * Finds out who made a claim. An unknown key goes through the same steps as a key with a wrong secret and is refused at
 * the same place, so that the time of the answer does not tell the two apart.
 * @throws S3Error InvalidAccessKeyId; what `check` throws; SignatureDoesNotMatch, with all that a client needs to find
 * its mistake
 */
export function verifySignature<C extends SigningCredential>(
  claim: SignatureClaim,
  request: SignableRequest,
  options: VerifyOptions<C>,
): AuthVerdict<C> {
  const { accessKeyId } = claim.scope;
  let payload: PayloadMode | S3Error;
  try {
    payload = options.check(claim, request, options.service);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    payload = error;
  }
  const credential = credentialOf(accessKeyId, claim.sessionToken, options);
  if (credential !== undefined && payload instanceof S3Error) {
    throw payload;
  }
  const signingKey = signingKeyFor(claim, credential, options);
  const found = findSignature(claim, request, signingKey);
  if (credential === undefined || payload instanceof S3Error || found.signature === undefined) {
    throw refusal(credential === undefined ? 'InvalidAccessKeyId' : 'SignatureDoesNotMatch', claim, found);
  }
  options.otherRegions?.prove(claim.scope.region);
  const verdict = { kind: 'signed', method: claim.method, accessKeyId, credential, payload } as const;
  if (payload.kind !== 'streaming-signed' && payload.kind !== 'streaming-signed-trailer') {
    return verdict;
  }
  const signing: ChunkSigningContext = {
    signingKey,
    amzDate: claim.amzDate,
    scope: claim.scope.text,
    seedSignature: found.signature,
  };
  return { ...verdict, signing };
}

function signingKeyFor(
  claim: SignatureClaim,
  credential: SigningCredential | undefined,
  options: AuthOptions<SigningCredential>,
): HmacKey {
  const { signingKeys, region, otherRegions } = options;
  const id = credential === undefined ? DUMMY_KEY_ID : claim.scope.accessKeyId;
  const secret = credential === undefined ? DUMMY_SECRET : credential.secretAccessKey;
  // The sender chooses day and region of the scope, and need not be anybody we know. So only keys of right signatures
  // are remembered.
  const timely = claim.amzDate.startsWith(claim.scope.date);
  const known = claim.scope.region === region || otherRegions?.has(claim.scope.region) === true;
  return timely && known ? signingKeys.keyFor(id, secret, claim.scope) : deriveSigningKey(secret, claim.scope);
}

interface Search {
  /** Hex. */
  readonly signature: string | undefined;
  /** Of the first canonical form: shown to the client when none matches. */
  readonly canonical: string;
  readonly stringToSign: string;
}

function findSignature(claim: SignatureClaim, request: SignableRequest, signingKey: HmacKey): Search {
  const forms = canonicalRequests(request, claim);
  // One that was signed and did not come is no match, whatever was signed in its place.
  const complete = haveAllCome(claim.signedHeaders, request.headers);
  let first: Search | undefined;
  for (const canonical of forms) {
    const text = stringToSign(claim.amzDate, claim.scope.text, canonical);
    const expected = signingKey.ofLatin1(text, 'hex');
    const search = { canonical, stringToSign: text };
    if (signatureMatches(expected, claim.signature) && complete) {
      return { ...search, signature: expected };
    }
    first ??= { ...search, signature: undefined };
  }
  return first ?? { signature: undefined, canonical: '', stringToSign: '' };
}

/**
 * The same object is made for both codes, so that neither takes longer. For an unknown key only the part that S3 shows
 * is used.
 */
function refusal(code: 'InvalidAccessKeyId' | 'SignatureDoesNotMatch', claim: SignatureClaim, search: Search): S3Error {
  const { accessKeyId } = claim.scope;
  // The texts are put together when the answer is written.
  const whole = {
    AWSAccessKeyId: accessKeyId,
    get StringToSign() {
      return shownText(search.stringToSign);
    },
    SignatureProvided: claim.signature,
    get StringToSignBytes() {
      return shownBytes(search.stringToSign);
    },
    get CanonicalRequest() {
      return shownText(search.canonical);
    },
    get CanonicalRequestBytes() {
      return shownBytes(search.canonical);
    },
  };
  const known = { AWSAccessKeyId: accessKeyId };
  return new S3Error(code, { extra: code === 'InvalidAccessKeyId' ? known : whole });
}
