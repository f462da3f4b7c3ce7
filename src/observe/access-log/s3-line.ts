import { redactTarget, redactText } from '../redact.ts';
import type { AuthFacts, RequestFacts } from '../request-facts.ts';
import { headerOf } from '../raw-headers.ts';

const NONE = '-';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Operations whose resource is not the one that their path or sub-resource names. */
const SPECIAL: Readonly<Record<string, string>> = {
  ListBuckets: 'REST.GET.SERVICE',
  CopyObject: 'REST.COPY.OBJECT',
  UploadPart: 'REST.PUT.PART',
  UploadPartCopy: 'REST.COPY.PART',
  CompleteMultipartUpload: 'REST.POST.UPLOAD',
  CreateMultipartUpload: 'REST.POST.UPLOADS',
  AbortMultipartUpload: 'REST.DELETE.UPLOAD',
  ListParts: 'REST.GET.UPLOAD',
  DeleteObjects: 'REST.POST.MULTI_OBJECT_DELETE',
  HeadObject: 'REST.HEAD.OBJECT',
  ListObjectVersions: 'REST.GET.BUCKETVERSIONS',
};

/**
 * One request as a line of S3's server access log, without line break. What this gateway does not know (cipher suites,
 * access points) stands as `-`.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html
 */
export function s3Line(facts: RequestFacts): string {
  const { head, auth, failure, firstByte, arrived, notes } = facts;
  const header = (name: string): string => quoted(headerOf(head.rawHeaders, name));
  return [
    field(notes?.['s3gw.bucket.owner']),
    field(facts.bucket),
    `[${logTime(head.arrivedAt)}]`,
    field(facts.clientAddress),
    field(requester(auth)),
    field(head.requestId),
    operationOf(facts),
    field(facts.key),
    quoted(`${head.method} ${redactTarget(head.target)} HTTP/${head.httpVersion}`),
    facts.status,
    failure?.code ?? NONE,
    sizeOrNone(facts.answerBytes),
    notes?.['s3gw.object.size'] ?? NONE,
    Math.round(facts.durationMs),
    firstByte === undefined ? NONE : Math.round(firstByte - arrived),
    header('referer'),
    header('user-agent'),
    field(facts.versionId),
    field(head.hostId),
    signatureVersion(facts),
    NONE,
    auth?.method === 'header' ? 'AuthHeader' : auth?.method === 'query' ? 'QueryString' : NONE,
    field(headerOf(head.rawHeaders, 'host')),
    NONE,
    NONE,
    facts.authorization?.rule.startsWith('acl') === true ? 'Yes' : NONE,
  ].join(' ');
}

function operationOf({ classification, head }: RequestFacts): string {
  if (classification === undefined) {
    return `REST.${/^[A-Z]{1,16}$/.test(head.method) ? head.method : 'UNKNOWN'}.UNKNOWN`;
  }
  const { name, level, method, match } = classification;
  return SPECIAL[name] ?? `REST.${method}.${(match.subresource ?? level).replaceAll('-', '').toUpperCase()}`;
}

function sizeOrNone(bytes: number | undefined): number | string {
  return bytes === undefined || bytes === 0 ? NONE : bytes;
}

function requester(auth: AuthFacts | undefined): string | undefined {
  if (auth?.identity?.kind !== 'account') return undefined;
  return auth.identity.user?.arn ?? auth.identity.account.canonicalId;
}

function signatureVersion({ auth, head }: RequestFacts): string {
  if (auth?.method === 'header') return 'SigV4';
  if (auth?.method !== 'query') return NONE;
  return head.target.includes('X-Amz-Algorithm=') ? 'SigV4' : 'SigV2';
}

/** `06/Feb/2019:00:00:38 +0000` */
function logTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()] ?? ''}/${date.getUTCFullYear()}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

const NOT_IN_FIELD = /[^\w.!~*'()/:@+,;=&$-]+/g;
const NOT_IN_QUOTES = /[^\x20\x21\x23-\x5b\x5d-\x7e]+/g;
/** Headers and targets are a byte a character. */
const BEYOND_BYTES = /[\u0100-\uffff]/;

/**
 * A field without quotes. Fields are parted by blanks, lines by line breaks, and a quote or bracket opens another kind
 * of field: everything but plain printable ASCII is percent-encoded, as S3 does with keys.
 */
function field(value: string | number | undefined): string {
  if (value === undefined || value === '') return NONE;
  const text = redactText(String(value));
  if (text === NONE) return '%2D';
  return text.replace(NOT_IN_FIELD, (characters) => escapedBytes(Buffer.from(characters), '%'));
}

/** A field in quotes: bytes as they came, those that could end it or break the line as `\xNN`. */
function quoted(value: string | undefined): string {
  if (value === undefined || value === '') return '"-"';
  const text = redactText(value);
  if (text === NONE) return '"\\x2D"';
  return `"${text.replace(NOT_IN_QUOTES, (characters) => escapedBytes(Buffer.from(characters, BEYOND_BYTES.test(characters) ? 'utf8' : 'latin1'), '\\x'))}"`;
}

function escapedBytes(bytes: Buffer, mark: string): string {
  return Array.from(bytes, (byte) => `${mark}${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}
