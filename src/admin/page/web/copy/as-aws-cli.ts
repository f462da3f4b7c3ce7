import type { RequestDetail } from '../../../inspector/contract.ts';
import { parameterName, parameterValue, requestParts, type RequestParts } from './request-parts.ts';
import { shellCommand, shellWord } from './shell.ts';

/** Query parameters whose option is not their name in kebab case; empty: the CLI adds them itself. */
const PARAMETER_OPTIONS: Readonly<Record<string, string>> = {
  'list-type': '', uploads: '', versions: '', delete: '', 'x-id': '', marker: '--marker', 'max-keys': '--max-keys', 'encoding-type': '--encoding-type',
  versionId: '--version-id', uploadId: '--upload-id', partNumber: '--part-number',
};

/** Headers that are options, where the option is not the name without `x-amz-`. */
const HEADER_OPTIONS: Readonly<Record<string, string>> = {
  'content-md5': '--content-md5', 'if-match': '--if-match', 'if-modified-since': '--if-modified-since', 'if-none-match': '--if-none-match',
  'if-unmodified-since': '--if-unmodified-since', range: '--range',
  'x-amz-checksum-algorithm': '--checksum-algorithm', 'x-amz-sdk-checksum-algorithm': '--checksum-algorithm', 'x-amz-website-redirect-location': '--website-redirect-location',
  'x-amz-object-lock-mode': '--object-lock-mode', 'x-amz-object-lock-retain-until-date': '--object-lock-retain-until-date',
  'x-amz-object-lock-legal-hold': '--object-lock-legal-hold-status',
};

/** What describes an object goes with the operations that make one; elsewhere these headers describe a document. */
const OBJECT_HEADERS = new Set(['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires']);
const MAKES_OBJECT = new Set(['PutObject', 'CopyObject', 'CreateMultipartUpload']);
const CHECKSUM_VALUE = /^x-amz-checksum-(?:crc|sha)/;
const TAKES_CHECKSUM = new Set(['PutObject', 'UploadPart', 'CompleteMultipartUpload']);

const PREFIXED_OPTIONS = new Set([
  'acl', 'bypass-governance-retention', 'checksum-mode', 'checksum-type', 'copy-source', 'copy-source-if-match', 'copy-source-if-none-match', 'copy-source-range', 'expected-bucket-owner', 'grant-full-control', 'grant-read', 'grant-read-acp',
  'grant-write', 'grant-write-acp', 'metadata-directive', 'object-ownership', 'storage-class', 'tagging', 'tagging-directive',
]);
const FLAGS = new Set(['bypass-governance-retention']);

/** Which option takes the body: the bytes themselves, or the document as JSON. */
const BODY_OPTIONS: Readonly<Record<string, string>> = {
  PutObject: '--body BODY_FILE',
  UploadPart: '--body BODY_FILE',
  DeleteObjects: '--delete file://delete.json',
  CompleteMultipartUpload: '--multipart-upload file://parts.json',
  CreateBucket: '--create-bucket-configuration file://configuration.json',
  PutObjectTagging: '--tagging file://tagging.json',
  PutBucketTagging: '--tagging file://tagging.json',
  PutObjectAcl: '--access-control-policy file://acl.json',
  PutBucketAcl: '--access-control-policy file://acl.json',
  PutObjectRetention: '--retention file://retention.json',
  PutObjectLegalHold: '--legal-hold file://legal-hold.json',
  PutBucketVersioning: '--versioning-configuration file://versioning.json',
  PutObjectLockConfiguration: '--object-lock-configuration file://lock.json',
  PutPublicAccessBlock: '--public-access-block-configuration file://block.json',
  PutBucketOwnershipControls: '--ownership-controls file://ownership.json',
};

/** The same request through `aws s3api`, with the keys of whoever runs it; undefined when it is no operation's. */
export function asAwsCli(detail: RequestDetail): string | undefined {
  const { operation, bucket, key } = detail.classification;
  if (operation === undefined) return undefined;
  const parts = requestParts(detail);
  const bodyOption = parts.hasBody ? BODY_OPTIONS[operation] : undefined;
  return shellCommand([
    ['aws', 's3api', kebab(operation)],
    ['--endpoint-url', shellWord(serviceEndpoint(detail, parts))],
    ...(parts.region === 'us-east-1' ? [] : [['--region', parts.region]]),
    ...(parts.signed ? [] : [['--no-sign-request']]),
    ...(bucket === undefined ? [] : [['--bucket', shellWord(bucket)]]),
    ...(key === undefined ? [] : [['--key', shellWord(key)]]),
    ...parts.query.flatMap(parameterWords),
    ...[...parts.headers].flatMap(([name, value]) => headerWords(operation, name, value)),
    ...metadataWords(parts.headers),
    ...(bodyOption === undefined ? [] : [[bodyOption]]),
    ...(operation.startsWith('List') ? [['--no-paginate']] : []),
    ...(operation === 'GetObject' ? [['OUTPUT_FILE']] : []),
  ]);
}

/** The CLI puts the bucket before a host itself. */
function serviceEndpoint({ classification: { bucket, virtualHost } }: RequestDetail, { endpoint }: RequestParts): string {
  return virtualHost === true && bucket !== undefined ? endpoint.replace(`//${bucket}.`, '//') : endpoint;
}

function parameterWords(parameter: string): readonly (readonly string[])[] {
  const [name, value] = [parameterName(parameter), parameterValue(parameter)];
  const option = PARAMETER_OPTIONS[name] ?? (value === '' ? '' : `--${kebab(name)}`);
  return option === '' ? [] : [[option, shellWord(value)]];
}

function headerWords(operation: string, name: string, value: string): readonly (readonly string[])[] {
  const short = name.startsWith('x-amz-') ? name.slice('x-amz-'.length) : '';
  if (FLAGS.has(short)) return value.toLowerCase() === 'true' ? [[`--${short}`]] : [];
  const option = headerOption(operation, name, short);
  const kept = name === 'content-encoding' ? value.replace(/\baws-chunked\b,?\s*/i, '').replace(/,\s*$/, '') : value;
  return option === undefined || kept === '' ? [] : [[option, shellWord(kept)]];
}

function headerOption(operation: string, name: string, short: string): string | undefined {
  if (OBJECT_HEADERS.has(name)) return MAKES_OBJECT.has(operation) ? `--${name}` : undefined;
  if (CHECKSUM_VALUE.test(name)) return TAKES_CHECKSUM.has(operation) ? `--${short}` : undefined;
  return HEADER_OPTIONS[name] ?? (PREFIXED_OPTIONS.has(short) ? `--${short}` : undefined);
}

function metadataWords(headers: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const entries = [...headers].filter(([name]) => name.startsWith('x-amz-meta-')).map(([name, value]) => [name.slice('x-amz-meta-'.length), value]);
  return entries.length === 0 ? [] : [['--metadata', shellWord(JSON.stringify(Object.fromEntries(entries)))]];
}

/** `ListObjectsV2` → `list-objects-v2`, `GetBucketAcl` → `get-bucket-acl`. */
function kebab(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
