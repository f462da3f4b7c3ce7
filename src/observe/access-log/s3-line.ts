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
    notes?.['s3gw.bucket.owner'] ?? NONE,
    facts.bucket ?? NONE,
    `[${logTime(head.arrivedAt)}]`,
    facts.clientAddress ?? NONE,
    requester(auth),
    head.requestId,
    operationOf(facts),
    facts.key === undefined ? NONE : encodeKey(redactText(facts.key)),
    quoted(`${head.method} ${redactTarget(head.target)} HTTP/${head.httpVersion}`),
    facts.status,
    failure?.code ?? NONE,
    sizeOrNone(facts.answerBytes),
    notes?.['s3gw.object.size'] ?? NONE,
    Math.round(facts.durationMs),
    firstByte === undefined ? NONE : Math.round(firstByte - arrived),
    header('referer'),
    header('user-agent'),
    facts.versionId ?? NONE,
    head.hostId,
    signatureVersion(facts),
    NONE,
    auth?.method === 'header' ? 'AuthHeader' : auth?.method === 'query' ? 'QueryString' : NONE,
    headerOf(head.rawHeaders, 'host') ?? NONE,
    NONE,
    NONE,
    facts.authorization?.rule.startsWith('acl') === true ? 'Yes' : NONE,
  ].join(' ');
}

function operationOf({ classification, head }: RequestFacts): string {
  if (classification === undefined) return `REST.${/^[A-Z]{1,16}$/.test(head.method) ? head.method : 'UNKNOWN'}.UNKNOWN`;
  const { name, level, method, match } = classification;
  return SPECIAL[name] ?? `REST.${method}.${(match.subresource ?? level).replaceAll('-', '').toUpperCase()}`;
}

function sizeOrNone(bytes: number | undefined): number | string {
  return bytes === undefined || bytes === 0 ? NONE : bytes;
}

function requester(auth: AuthFacts | undefined): string {
  if (auth?.identity?.kind !== 'account') return NONE;
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

function quoted(value: string | undefined): string {
  if (value === undefined || value === '') return '"-"';
  return `"${redactText(value).replaceAll(/["\\\r\n\t]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}

/** Fields are parted by blanks, lines by line breaks: a key that holds such must not make a field of its own. */
function encodeKey(key: string): string {
  return encodeURIComponent(key.toWellFormed()).replaceAll('%2F', '/');
}
