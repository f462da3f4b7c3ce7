import type { KeyObject } from 'node:crypto';
import { S3Error } from '../errors/s3-error.ts';
import { canonicalRequests } from './canonical-request.ts';
import type { ChunkSigningContext } from './chunk-signature.ts';
import type { PayloadMode } from './payload-mode.ts';
import type { SignableRequest } from './raw-request.ts';
import type { CredentialScope } from './scope.ts';
import { shownBytes, shownText } from './signed-text.ts';
import { sign, signatureMatches, stringToSign } from './signature.ts';
import { deriveSigningKey } from './signing-key.ts';
import type { AuthOptions, AuthVerdict, SigningCredential } from './verdict.ts';

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
}

/** Any secret would do: requests with an unknown key are refused after the same work. */
const DUMMY_KEY_ID = 'unknown';
const DUMMY_SECRET = 'no secret: the access key is unknown';

/**
 * The credential of a claimed key.
 * @throws S3Error InvalidAccessKeyId, after the work of a verification, so that its duration tells nothing
 */
export function credentialOf<C extends SigningCredential>(
  claim: SignatureClaim,
  request: SignableRequest,
  options: AuthOptions<C>,
): C {
  const credential = options.credentialFor(claim.scope.accessKeyId);
  if (credential === undefined) {
    // A stranger chooses the day in the scope: only the right one may take a place among the keys that are remembered.
    const timely = claim.amzDate.startsWith(claim.scope.date);
    const key = timely ? options.signingKeys.keyFor(DUMMY_KEY_ID, DUMMY_SECRET, claim.scope) : deriveSigningKey(DUMMY_SECRET, claim.scope);
    findSignature(claim, request, key);
    throw new S3Error('InvalidAccessKeyId', { extra: { AWSAccessKeyId: claim.scope.accessKeyId } });
  }
  return credential;
}

/** @throws S3Error SignatureDoesNotMatch, with all that a client needs to find its mistake */
export function verifySignature<C extends SigningCredential>(
  claim: SignatureClaim,
  request: SignableRequest,
  options: AuthOptions<C> & { readonly credential: C; readonly payload: PayloadMode },
): AuthVerdict<C> {
  const { credential, payload } = options;
  const { accessKeyId } = claim.scope;
  const signingKey = options.signingKeys.keyFor(accessKeyId, credential.secretAccessKey, claim.scope);
  const found = findSignature(claim, request, signingKey);
  if (found.signature === undefined) {
    throw signatureDoesNotMatch(claim, found);
  }
  const verdict = { kind: 'signed', method: claim.method, accessKeyId, credential, payload } as const;
  if (payload.kind !== 'streaming-signed' && payload.kind !== 'streaming-signed-trailer') {
    return verdict;
  }
  const signing: ChunkSigningContext = {
    signingKey,
    amzDate: claim.amzDate,
    scope: claim.scope.text,
    seedSignature: found.signature.toString('hex'),
  };
  return { ...verdict, signing };
}

interface Search {
  readonly signature: Buffer | undefined;
  /** Of the first canonical form: shown to the client when none matches. */
  readonly canonical: string;
  readonly stringToSign: string;
}

function findSignature(claim: SignatureClaim, request: SignableRequest, signingKey: KeyObject): Search {
  const forms = canonicalRequests(request, claim);
  let first: Search | undefined;
  for (const canonical of forms) {
    const text = stringToSign(claim.amzDate, claim.scope.text, canonical);
    const expected = sign(signingKey, text);
    const search = { canonical, stringToSign: text };
    if (signatureMatches(expected, claim.signature)) {
      return { ...search, signature: expected };
    }
    first ??= { ...search, signature: undefined };
  }
  return first ?? { signature: undefined, canonical: '', stringToSign: '' };
}

function signatureDoesNotMatch(claim: SignatureClaim, search: Search): S3Error {
  // Put together when the answer is written: until then an unknown key and a wrong secret take the same time.
  return new S3Error('SignatureDoesNotMatch', {
    extra: {
      AWSAccessKeyId: claim.scope.accessKeyId,
      get StringToSign() { return shownText(search.stringToSign); },
      SignatureProvided: claim.signature,
      get StringToSignBytes() { return shownBytes(search.stringToSign); },
      get CanonicalRequest() { return shownText(search.canonical); },
      get CanonicalRequestBytes() { return shownBytes(search.canonical); },
    },
  });
}
