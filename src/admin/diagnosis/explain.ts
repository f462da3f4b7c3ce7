import type { Subject } from './alteration.ts';
import { expiredUrl, shiftedClock } from './clock.ts';
import type { Cause, RefusedSignature, SignatureHint } from './diagnosis.ts';
import { missingHeaders } from './headers.ts';
import { likelyCauses } from './likelihood.ts';
import type { Probe } from './probe.ts';
import { findAlteration, fitsAsSent, proved } from './search.ts';
import { secretsOfOthers } from './secrets.ts';
import { explainForm } from './form.ts';

interface Case {
  readonly subject: Subject;
  readonly probe: Probe;
  /** Of the access key that is named; undefined when there is no such key. */
  readonly secret: string | undefined;
  readonly refusal: RefusedSignature;
}

const TEMPORARY_KEY = /^ASIA[A-Z0-9]{16}$/;
const MALFORMED =
  'What carries the signature is not in its proper form: something in between took a part of it away, or the client writes it in a way of its own.';

/** By code of the S3 error. What is not in here was refused for reasons that its message tells. */
const EXPLAINERS: Readonly<Record<string, (failed: Case) => readonly SignatureHint[]>> = {
  SignatureDoesNotMatch: mismatch,
  RequestTimeTooSkewed: ({ subject, probe, secret }) => shiftedClock(subject, probe, secret),
  AuthorizationHeaderMalformed: scopeFault,
  AuthorizationQueryParametersError: scopeFault,
  InvalidAccessKeyId: unknownKey,
  InvalidToken: ({ subject }) => [likely('session-token', foreignToken(subject))],
  ExpiredToken: () => [
    likely(
      'session-token',
      'The session has ended, or those of its role or user were revoked: the client needs a new one.',
    ),
  ],
  AccessDenied: denied,
  XAmzContentSHA256Mismatch: changedBody,
};

export function explainRefusal(failed: Case): readonly SignatureHint[] {
  return EXPLAINERS[String(failed.refusal.code)]?.(failed) ?? [];
}

function foreignToken({ claim, sources }: Subject): string {
  const { accessKeyId } = claim.scope;
  return sources.credentialFor(accessKeyId) === undefined
    ? 'The session token was not sealed by this service, was changed, belongs to another access key, or the role or key behind it is gone.'
    : `${accessKeyId} is a lasting access key, to which no session token belongs: the client mixes credentials of two sources, perhaps an AWS_SESSION_TOKEN that was left behind.`;
}

function mismatch(failed: Case): readonly SignatureHint[] {
  const { subject, probe, secret } = failed;
  if (secret === undefined) return unknownKey(failed);
  if (fitsAsSent(subject, probe, secret)) {
    return missingHeaders(subject).length > 0 ? likelyCauses(subject) : changedBody(failed);
  }
  return findAlteration(subject, probe, secret) ?? likelyCauses(subject);
}

/** The head is right, something behind it is not. */
function changedBody({ subject, probe, secret }: Case): readonly SignatureHint[] {
  const right = secret !== undefined && fitsAsSent(subject, probe, secret);
  const streaming = subject.claim.payloadHash.startsWith('STREAMING-');
  const what = streaming
    ? 'a chunk or the trailer does not fit its signature'
    : 'the body does not fit the hash that was signed';
  const text = `The signature of the request itself is right, but ${what}: the body was changed on the way, or cut otherwise than the client signed it.`;
  return right ? [proved({ cause: 'changed-body', text })] : [];
}

/** Region and service are part of the key that signs: with the right ones the client must sign anew. */
function scopeFault({ subject, probe, secret, refusal }: Case): readonly SignatureHint[] {
  const {
    claim: { scope },
    sources: { region },
  } = subject;
  const right = secret !== undefined && fitsAsSent(subject, probe, secret);
  const certainty = right ? 'proved' : 'likely';
  const rest = right ? ' All else is signed rightly.' : '';
  if (scope.region !== region) {
    return [
      {
        cause: 'wrong-region',
        certainty,
        text: `Signed for the region \`${scope.region}\`; this service is \`${region}\`: set that in the client.${rest}`,
      },
    ];
  }
  if (scope.service !== 's3') {
    return [
      {
        cause: 'wrong-service',
        certainty,
        text: `Signed for the service \`${scope.service}\` instead of \`s3\`.${rest}`,
      },
    ];
  }
  if (scope.date !== subject.claim.amzDate.slice(0, 8)) {
    return [
      likely(
        'malformed',
        `The credential names the day ${scope.date}, but the request was dated ${subject.claim.amzDate}.`,
      ),
    ];
  }
  const incomplete = explainForm(subject.request, refusal);
  return incomplete.length > 0 ? incomplete : [likely('malformed', MALFORMED)];
}

function unknownKey({ subject, probe }: Case): readonly SignatureHint[] {
  const { accessKeyId } = subject.claim.scope;
  const other = secretsOfOthers(accessKeyId, subject.sources).find(({ secret }) => fitsAsSent(subject, probe, secret));
  if (other !== undefined) return [proved({ cause: 'unknown-access-key', text: other.text })];
  const plain = accessKeyId.trim().toLowerCase();
  for (const known of subject.sources.credentials()) {
    if (known.accessKeyId.toLowerCase() !== plain) continue;
    return [
      {
        cause: 'unknown-access-key',
        certainty: 'likely',
        text: `There is no access key ${accessKeyId}, but ${known.accessKeyId}, which differs in case or blanks only.`,
      },
    ];
  }
  if (TEMPORARY_KEY.test(accessKeyId)) {
    const text = `${accessKeyId} looks like a temporary access key, which is nobody's without its session token (AWS_SESSION_TOKEN).`;
    return [likely('session-token', text)];
  }
  return [likely('unknown-access-key', `There is no access key ${accessKeyId} in the configuration of this service.`)];
}

function denied({ subject, probe, secret, refusal }: Case): readonly SignatureHint[] {
  if (refusal.message === 'Request has expired') return expiredUrl(subject, probe, secret);
  if (refusal.message === 'Request is not valid yet') return shiftedClock(subject, probe, secret);
  const unsigned = refusal.extra?.['HeadersNotSigned'];
  if (unsigned === undefined) return [];
  const right = secret !== undefined && fitsAsSent(subject, probe, secret);
  const text = `Came, but not signed: ${unsigned}. It was added on the way, or the client does not sign it.`;
  return [
    {
      cause: 'unsigned-header',
      certainty: right ? 'proved' : 'likely',
      text: right ? `${text} The rest of the request is signed rightly.` : text,
    },
  ];
}

function likely(cause: Cause, text: string): SignatureHint {
  return { cause, certainty: 'likely', text };
}
