import type { SignableRequest } from '../../auth/raw-request.ts';
import type { RefusedSignature, SignatureHint } from './diagnosis.ts';

const V4_PARAMETERS = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
];
const V4_COMPONENTS = ['Credential', 'SignedHeaders', 'Signature'];

/** Requests that hold no signature of version 4 that could be computed again. */
export function explainForm({ headers, query }: SignableRequest, { code }: RefusedSignature): SignatureHint[] {
  const authorization = headers.get('authorization');
  if (authorization === undefined) {
    const stripped = ['x-amz-date', 'x-amz-content-sha256'].filter((name) => headers.get(name) !== undefined);
    const presigned = presignedForm(new Set(query.map(({ name }) => name)), code);
    return presigned.length > 0 || stripped.length === 0 ? presigned : [strippedHeader(stripped)];
  }
  if (/^\s*AWS\s/i.test(authorization)) return [versionTwo()];
  if (/^\s*AWS4-HMAC-SHA256\b/i.test(authorization)) {
    const missing = V4_COMPONENTS.filter((name) => !new RegExp(`[\\s,]${name}\\s*=`, 'i').test(authorization));
    const text =
      missing.length > 0
        ? `The Authorization header has no ${missing.join(' and no ')}: it was cut on the way, or the client writes it in a way of its own.`
        : 'The Authorization header is not in its proper form, or there is no usable date beside it.';
    return [{ cause: 'malformed', certainty: 'likely', text }];
  }
  return [
    {
      cause: 'signature-version',
      certainty: 'likely',
      text: "The Authorization header is of a kind that S3 does not know: something in between put its own in place of the client's, or the client uses another scheme.",
    },
  ];
}

function presignedForm(names: ReadonlySet<string>, code: RefusedSignature['code']): SignatureHint[] {
  if (names.has('AWSAccessKeyId') && names.has('Signature')) return code === 'InvalidRequest' ? [versionTwo()] : [];
  const given = V4_PARAMETERS.filter((name) => names.has(name));
  if (given.length === 0 || given.length === V4_PARAMETERS.length) return [];
  const missing = V4_PARAMETERS.filter((name) => !names.has(name));
  return [
    {
      cause: 'lost-query',
      certainty: 'likely',
      text: `The URL was presigned, but ${missing.join(', ')} did not come: the query was cut on the way, or an \`&\` was not quoted in a shell.`,
    },
  ];
}

function strippedHeader(others: readonly string[]): SignatureHint {
  const text = `No Authorization header came, but ${others.join(' and ')} did, as signed requests have ${others.length > 1 ? 'them' : 'it'}: something in between took it away.`;
  return { cause: 'altered-header', certainty: 'likely', text };
}

function versionTwo(): SignatureHint {
  return {
    cause: 'signature-version',
    certainty: 'likely',
    text: 'Signed with version 2, which this service refuses: set the client to signature version 4 (`s3v4`).',
  };
}
