import { redactTarget, redactText } from '../redact.ts';
import type { AuthFacts, RequestFacts } from '../request-facts.ts';
import { headerOf } from '../raw-headers.ts';
import type { AccessPart, BucketLog, LoggedAccess } from './bucket-log.ts';

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
  GetBucketLogging: 'REST.GET.LOGGING_STATUS',
  PutBucketLogging: 'REST.PUT.LOGGING_STATUS',
  GetBucketPolicy: 'REST.GET.BUCKETPOLICY',
  PutBucketPolicy: 'REST.PUT.BUCKETPOLICY',
  DeleteBucketPolicy: 'REST.DELETE.BUCKETPOLICY',
  GetObjectTagging: 'REST.GET.OBJECT_TAGGING',
  PutObjectTagging: 'REST.PUT.OBJECT_TAGGING',
  DeleteObjectTagging: 'REST.DELETE.OBJECT_TAGGING',
  OptionsObject: 'REST.OPTIONS.PREFLIGHT',
};

/**
 * One request as a line of S3's server access log, without line break. What this gateway does not know (access points,
 * here also TLS when a proxy ended it) stands as `-`.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html
 * @param access the record that the log of a bucket gets; absent: that of a log of all requests
 */
export function s3Line(facts: RequestFacts, access?: LoggedAccess): string {
  const { head, auth, tls } = facts;
  const { owner, bucket, operation, key, versionId, request, outcome, sizes, times, senders } = fieldsOf(facts, access);
  return [
    field(owner),
    field(bucket),
    `[${logTime(head.arrivedAt)}]`,
    field(facts.clientAddress),
    field(requester(auth)),
    field(head.requestId),
    operation,
    field(key),
    request,
    ...outcome,
    ...sizes,
    ...times,
    ...senders,
    field(versionId),
    field(head.hostId),
    signatureVersion(facts),
    field(tls?.cipher),
    auth?.method === 'header' ? 'AuthHeader' : auth?.method === 'query' ? 'QueryString' : NONE,
    field(headerOf(head.rawHeaders, 'host')),
    field(tls?.version),
    NONE,
    facts.authorization?.rule.startsWith('acl') === true ? 'Yes' : NONE,
  ].join(' ');
}

/** What a lifecycle rule did, as the log of a bucket gets it. */
interface LifecycleRecord {
  readonly operation: string;
  readonly key: string;
  /** Absent: none was named. */
  readonly versionId?: string;
  /** Bytes; absent: it has none. */
  readonly size?: number;
  readonly requestId: string;
}

/** Who does it, as S3's records say. */
const THE_SERVICE = 'AmazonS3';

/**
 * What a lifecycle rule did as a line of the same log: nobody has asked for it, and nobody was answered.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-and-other-bucket-config.html
 * @param time milliseconds since 1970
 */
export function lifecycleLine(
  { ownerId, bucket }: Pick<BucketLog, 'ownerId' | 'bucket'>,
  { operation, key, versionId, size, requestId }: LifecycleRecord,
  time: number,
): string {
  const place = [field(ownerId), field(bucket), `[${logTime(time)}]`, NONE, THE_SERVICE, field(requestId)];
  const request = [operation, field(key), NONE, NONE, NONE, NONE, sizeOrNone(size)];
  const [times, senders, connection] = [2, 2, 8].map((count) => Array<string>(count).fill(NONE));
  return [...place, ...request, ...(times ?? []), ...(senders ?? []), field(versionId), ...(connection ?? [])].join(
    ' ',
  );
}

/** The fields in which records of one request differ, already escaped where clients say them. */
interface RecordFields {
  readonly owner: string | number | undefined;
  readonly bucket: string | undefined;
  readonly operation: string;
  readonly key: string | undefined;
  readonly versionId: string | undefined;
  /** The request line. */
  readonly request: string;
  readonly outcome: readonly [status: number, code: string];
  readonly sizes: readonly [sent: number | string, object: number | string];
  readonly times: readonly [total: number | string, turnAround: number | string];
  /** Referer and user agent. */
  readonly senders: readonly [string, string];
}

function fieldsOf(facts: RequestFacts, access: LoggedAccess | undefined): RecordFields {
  const part = access?.part;
  const place = {
    owner: access?.log.ownerId ?? facts.notes?.['s3gw.bucket.owner'],
    bucket: access?.log.bucket ?? facts.bucket,
  };
  if (part?.kind === 'batchDelete') return { ...place, ...keyOfBatch(part) };
  const whole = { ...place, ...wholeRequest(facts) };
  if (part === undefined) return whole;
  return { ...whole, operation: `${whole.operation}_GET`, key: part.key, versionId: part.versionId };
}

/** S3 repeats neither the request nor its sender for each of a thousand keys. */
function keyOfBatch({
  key,
  versionId,
  status,
  code,
}: Extract<AccessPart, { kind: 'batchDelete' }>): Omit<RecordFields, 'owner' | 'bucket'> {
  return {
    operation: 'BATCH.DELETE.OBJECT',
    key,
    versionId,
    request: NONE,
    outcome: [status, code ?? NONE],
    sizes: [NONE, NONE],
    times: [NONE, NONE],
    senders: [NONE, NONE],
  };
}

function wholeRequest(facts: RequestFacts): Omit<RecordFields, 'owner' | 'bucket'> {
  const { head, firstByte, arrived, failure } = facts;
  const target = escaped(redactText(redactTarget(head.target)), NOT_IN_WORD);
  return {
    operation: operationOf(facts),
    key: facts.key,
    versionId: facts.versionId,
    request: `"${escaped(head.method, NOT_IN_WORD)} ${target} HTTP/${head.httpVersion}"`,
    outcome: [facts.status, failure?.code === undefined ? NONE : String(failure.code)],
    sizes: [bytesSent(facts), objectSize(facts)],
    times: [Math.round(facts.durationMs), firstByte === undefined ? NONE : Math.round(firstByte - arrived)],
    senders: [
      quoted(headerOf(head.rawHeaders, 'referer'), NOT_IN_WORD),
      quoted(headerOf(head.rawHeaders, 'user-agent'), NOT_IN_QUOTES),
    ],
  };
}

/** Of the answer's body: no more than went out, if the client left before the end. */
function bytesSent({ answerBytes, bytesOut, clientLeft }: RequestFacts): number | string {
  return sizeOrNone(clientLeft && answerBytes !== undefined ? Math.min(answerBytes, bytesOut) : answerBytes);
}

/** Operations whose request body is the object, or a part of one. */
const STORING: ReadonlySet<string> = new Set(['PutObject', 'PostObject', 'UploadPart']);

function objectSize({ notes, body, classification }: RequestFacts): number | string {
  const known = notes?.['s3gw.object.size'];
  if (known !== undefined) return known;
  return body !== undefined && STORING.has(classification?.name ?? '') ? body.received : NONE;
}

function operationOf({ classification, head, website }: RequestFacts): string {
  if (classification === undefined || website) {
    const method = /^[A-Z]{1,16}$/.test(head.method) ? head.method : 'UNKNOWN';
    return website ? `WEBSITE.${method}.OBJECT` : `REST.${method}.UNKNOWN`;
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

const NOT_IN_FIELD = /[^\w.!~*()/:@+,;=&$-]+/g;
const NOT_IN_QUOTES = /[^\x20\x21\x23-\x5b\x5d-\x7e]+/g;
/**
 * The same without blanks: Athena's documented regular expression expects none in a referer, others part the request
 * line at them. What stands for a credential has blanks.
 */
const NOT_IN_WORD = /[^\x21\x23-\x5b\x5d-\x7e]+/g;
/** Headers and targets are a byte a character. */
const BEYOND_BYTES = /[\u0100-\uffff]/;

/**
 * A field without quotes. Fields are parted by blanks, lines by line breaks, and a quote (to some readers of either
 * kind) or bracket opens another kind of field: everything but plain printable ASCII is percent-encoded, as S3 does
 * with keys.
 */
function field(value: string | number | undefined): string {
  if (value === undefined || value === '') return NONE;
  const text = redactText(String(value));
  if (text === NONE) return '%2D';
  return text.replace(NOT_IN_FIELD, (characters) => escapedBytes(Buffer.from(characters), '%'));
}

/** A field in quotes. @param not what must not stand in it */
function quoted(value: string | undefined, not: RegExp): string {
  if (value === undefined || value === '') return '"-"';
  const text = redactText(value);
  return text === NONE ? '"\\x2D"' : `"${escaped(text, not)}"`;
}

/** Bytes as they came, those that could end a field or break the line as `\xNN`. */
function escaped(text: string, not: RegExp): string {
  return text.replace(not, (characters) => {
    const encoding = BEYOND_BYTES.test(characters) ? 'utf8' : 'latin1';
    return escapedBytes(Buffer.from(characters, encoding), '\\x');
  });
}

function escapedBytes(bytes: Buffer, mark: string): string {
  return Array.from(bytes, (byte) => `${mark}${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}
