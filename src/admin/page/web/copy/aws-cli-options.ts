/**
 * Options of `aws s3api` for parameters of a query. What is not here is left out of a command, because a client can put
 * anything into a query.
 */
export const PARAMETER_OPTIONS: ReadonlyMap<string, string> = new Map([
  ...[
    'bucket-region',
    'continuation-token',
    'delimiter',
    'encoding-type',
    'key-marker',
    'marker',
    'max-buckets',
    'max-keys',
    'max-parts',
    'max-uploads',
    'part-number-marker',
    'prefix',
    'response-cache-control',
    'response-content-disposition',
    'response-content-encoding',
    'response-content-language',
    'response-content-type',
    'response-expires',
    'start-after',
    'upload-id-marker',
    'version-id-marker',
  ].map((name) => [name, `--${name}`] as const),
  ['partNumber', '--part-number'],
  ['uploadId', '--upload-id'],
  ['versionId', '--version-id'],
]);

/** Parameters that are true or not. */
export const PARAMETER_FLAGS: ReadonlyMap<string, string> = new Map([['fetch-owner', '--fetch-owner']]);

/** What describes an object goes with the operations that make one; elsewhere these headers describe a document. */
const OBJECT_HEADERS = new Set([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]);
const MAKES_OBJECT = new Set(['PutObject', 'CopyObject', 'CreateMultipartUpload']);
const CHECKSUMS = new Set(
  ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256', 'sha512', 'md5', 'xxhash64', 'xxhash3', 'xxhash128'].map(
    (algorithm) => `x-amz-checksum-${algorithm}`,
  ),
);
const TAKES_CHECKSUM = new Set(['PutObject', 'UploadPart', 'CompleteMultipartUpload']);

const HEADER_OPTIONS: ReadonlyMap<string, string> = new Map([
  ...['content-md5', 'if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since', 'range'].map(
    (name) => [name, `--${name}`] as const,
  ),
  ...[
    'acl',
    'checksum-algorithm',
    'checksum-mode',
    'checksum-type',
    'copy-source',
    'copy-source-if-match',
    'copy-source-if-none-match',
    'copy-source-range',
    'expected-bucket-owner',
    'grant-full-control',
    'grant-read',
    'grant-read-acp',
    'grant-write',
    'grant-write-acp',
    'metadata-directive',
    'object-lock-mode',
    'object-lock-retain-until-date',
    'object-ownership',
    'storage-class',
    'tagging',
    'tagging-directive',
    'website-redirect-location',
  ].map((name) => [`x-amz-${name}`, `--${name}`] as const),
  ['x-amz-sdk-checksum-algorithm', '--checksum-algorithm'],
  ['x-amz-object-lock-legal-hold', '--object-lock-legal-hold-status'],
]);

export const HEADER_FLAGS: ReadonlyMap<string, string> = new Map([
  ['x-amz-bypass-governance-retention', '--bypass-governance-retention'],
]);

/** The option for a header of an operation. */
export function headerOption(operation: string, name: string): string | undefined {
  if (OBJECT_HEADERS.has(name)) return MAKES_OBJECT.has(operation) ? `--${name}` : undefined;
  if (CHECKSUMS.has(name)) return TAKES_CHECKSUM.has(operation) ? `--${name.slice('x-amz-'.length)}` : undefined;
  return HEADER_OPTIONS.get(name);
}

/** Which option takes the body, and what stands there for it: the bytes themselves, or the document as JSON. */
export const BODY_OPTIONS: ReadonlyMap<string, readonly [option: string, value: string]> = new Map([
  ['PutObject', ['--body', 'BODY_FILE']],
  ['UploadPart', ['--body', 'BODY_FILE']],
  ['DeleteObjects', ['--delete', 'file://delete.json']],
  ['CompleteMultipartUpload', ['--multipart-upload', 'file://parts.json']],
  ['CreateBucket', ['--create-bucket-configuration', 'file://configuration.json']],
  ['PutObjectTagging', ['--tagging', 'file://tagging.json']],
  ['PutBucketTagging', ['--tagging', 'file://tagging.json']],
  ['PutObjectAcl', ['--access-control-policy', 'file://acl.json']],
  ['PutBucketAcl', ['--access-control-policy', 'file://acl.json']],
  ['PutObjectRetention', ['--retention', 'file://retention.json']],
  ['PutObjectLegalHold', ['--legal-hold', 'file://legal-hold.json']],
  ['PutBucketVersioning', ['--versioning-configuration', 'file://versioning.json']],
  ['PutObjectLockConfiguration', ['--object-lock-configuration', 'file://lock.json']],
  ['PutPublicAccessBlock', ['--public-access-block-configuration', 'file://block.json']],
  ['PutBucketOwnershipControls', ['--ownership-controls', 'file://ownership.json']],
]);
