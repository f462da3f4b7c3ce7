import type { OperationName, OperationRow } from './operation-table.ts';

/** What becomes of the headers and query parameters that the S3 API has for an operation. */
interface OperationParameters {
  /** They decide something. */
  readonly counts: readonly string[];
  /** Not read: what they ask for makes no difference here. */
  readonly ignored: readonly string[];
  /** Ask for something that is not done; to ignore them would be a false answer. */
  readonly refused: readonly string[];
}

const CUSTOMER = 'x-amz-server-side-encryption-customer-';
const SOURCE_CUSTOMER = 'x-amz-copy-source-server-side-encryption-customer-';

/** Of requests that show a key, if they show one. */
const SHOWN_KEY = ['algorithm', 'key', 'key-md5'].map((name) => CUSTOMER + name);
/** Of the source of a copy. */
const SOURCE_KEY = ['algorithm', 'key', 'key-md5'].map((name) => SOURCE_CUSTOMER + name);

const ENCRYPTION = [
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-bucket-key-enabled',
  'x-amz-server-side-encryption-aws-kms-key-id',
  ...SHOWN_KEY,
];
const ENCRYPTION_CONTEXT = 'x-amz-server-side-encryption-context';
const ACL = [
  'x-amz-acl',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write-acp',
];
const CONTENT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
const PLACEMENT = ['x-amz-storage-class', 'x-amz-website-redirect-location', 'x-amz-tagging', 'x-amz-meta-*'];
const LOCK = ['x-amz-object-lock-mode', 'x-amz-object-lock-retain-until-date', 'x-amz-object-lock-legal-hold'];
const EVENT_HOLD = [
  'x-amz-object-lock-event-hold',
  'x-amz-object-lock-event-hold-duration-days',
  'x-amz-object-lock-event-hold-duration-years',
];
const WRITE_IF = ['if-match', 'if-none-match'];
const READ_IF = [...WRITE_IF, 'if-modified-since', 'if-unmodified-since'];
const COPY_IF = READ_IF.map((name) => `x-amz-copy-source-${name}`);
const DIGESTS = ['content-md5', 'x-amz-checksum-*', 'x-amz-sdk-checksum-algorithm', 'x-amz-trailer'];
const RESPONSE = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
].map((name) => `?response-${name}`);
const LISTING = ['?delimiter', '?encoding-type', '?prefix'];
const RESTORE_STATUS = 'x-amz-optional-object-attributes';

const READ = {
  counts: [...SHOWN_KEY, ...READ_IF, 'range', 'if-range', '?partNumber', 'x-amz-checksum-mode', ...RESPONSE],
};

const NEW_OBJECT = {
  counts: [...CONTENT, ...PLACEMENT, ...ACL, ...LOCK, ...WRITE_IF, ...DIGESTS, ...ENCRYPTION],
  refused: [ENCRYPTION_CONTEXT, 'x-amz-write-offset-bytes', ...EVENT_HOLD],
};

/** Those that have parameters of their own, beside what every operation of its kind has (`parametersOf`). */
const OWN: Readonly<Partial<Record<OperationName, Partial<OperationParameters>>>> = {
  ListBuckets: { counts: ['?max-buckets', '?continuation-token', '?prefix', '?bucket-region'] },
  CreateBucket: {
    counts: [
      ...ACL,
      'x-amz-grant-write',
      'x-amz-bucket-namespace',
      'x-amz-bucket-object-lock-enabled',
      'x-amz-object-ownership',
    ],
  },
  PutBucketAcl: { counts: [...ACL, 'x-amz-grant-write'] },
  PutBucketVersioning: { ignored: ['x-amz-mfa'] },
  PutBucketNotificationConfiguration: { counts: ['x-amz-skip-destination-validation'] },
  PutBucketReplication: { ignored: ['x-amz-bucket-object-lock-token'] },
  PutObjectLockConfiguration: { ignored: ['x-amz-bucket-object-lock-token'] },
  GetBucketInventoryConfiguration: { counts: ['?id'] },
  ListBucketInventoryConfigurations: { counts: ['?continuation-token'] },
  PutBucketInventoryConfiguration: { counts: ['?id'] },
  DeleteBucketInventoryConfiguration: { counts: ['?id'] },
  ListObjects: { counts: [...LISTING, '?marker', '?max-keys', RESTORE_STATUS] },
  ListObjectsV2: {
    counts: [...LISTING, '?continuation-token', '?fetch-owner', '?max-keys', '?start-after', RESTORE_STATUS],
  },
  ListObjectVersions: { counts: [...LISTING, '?key-marker', '?max-keys', '?version-id-marker', RESTORE_STATUS] },
  ListMultipartUploads: { counts: [...LISTING, '?key-marker', '?max-uploads', '?upload-id-marker'] },
  DeleteObjects: { counts: ['x-amz-bypass-governance-retention'], ignored: ['x-amz-mfa'] },
  GetObject: READ,
  HeadObject: READ,
  GetObjectAttributes: {
    counts: ['x-amz-object-attributes', 'x-amz-max-parts', 'x-amz-part-number-marker', ...SHOWN_KEY],
  },
  DeleteObject: {
    counts: ['if-match', 'x-amz-bypass-governance-retention'],
    ignored: ['x-amz-mfa'],
    refused: ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size'],
  },
  PutObject: NEW_OBJECT,
  // Fields of the form, under these names.
  PostObject: NEW_OBJECT,
  PutBucketPolicy: { counts: ['x-amz-confirm-remove-self-bucket-access'] },
  CopyObject: {
    counts: [
      ...CONTENT,
      ...PLACEMENT,
      ...ACL,
      ...LOCK,
      ...WRITE_IF,
      ...COPY_IF,
      'x-amz-checksum-algorithm',
      'x-amz-copy-source',
      'x-amz-metadata-directive',
      'x-amz-tagging-directive',
      'x-amz-source-expected-bucket-owner',
      ...SOURCE_KEY,
      ...ENCRYPTION,
    ],
    ignored: ['x-amz-object-annotation-directive'],
    refused: [ENCRYPTION_CONTEXT, ...EVENT_HOLD],
  },
  PutObjectAcl: { counts: [...ACL, 'x-amz-grant-write'] },
  PutObjectRetention: { counts: ['x-amz-bypass-governance-retention'] },
  CreateMultipartUpload: {
    counts: [
      ...CONTENT,
      ...PLACEMENT,
      ...ACL,
      ...LOCK,
      'x-amz-checksum-algorithm',
      'x-amz-checksum-type',
      ...ENCRYPTION,
    ],
    refused: [ENCRYPTION_CONTEXT, ...EVENT_HOLD],
  },
  UploadPart: { counts: [...DIGESTS, ...SHOWN_KEY] },
  UploadPartCopy: {
    counts: [
      'x-amz-copy-source',
      'x-amz-copy-source-range',
      ...COPY_IF,
      'x-amz-source-expected-bucket-owner',
      ...SHOWN_KEY,
      ...SOURCE_KEY,
    ],
  },
  CompleteMultipartUpload: {
    counts: [...WRITE_IF, 'x-amz-checksum-*', 'x-amz-checksum-type', 'x-amz-mp-object-size', ...SHOWN_KEY],
  },
  AbortMultipartUpload: { counts: ['x-amz-if-match-initiated-time'] },
  ListParts: {
    counts: ['?max-parts', '?part-number-marker'],
    ignored: [...SHOWN_KEY],
  },
  ListTagsForResource: { counts: ['x-amz-account-id'] },
  TagResource: { counts: ['x-amz-account-id'] },
  UntagResource: { counts: ['x-amz-account-id', '?tagKeys'] },
};

/** Of one operation, with what all of its kind have. Lower-case names of headers, query parameters with their `?`. */
export function parametersOf(row: OperationRow): OperationParameters {
  const { counts = [], ignored = [], refused = [] } = OWN[row.name] ?? {};
  const common = [
    ...(row.level === 'bucket' || row.level === 'object' ? ['x-amz-expected-bucket-owner'] : []),
    ...(row.versionPermission === undefined ? [] : ['?versionId']),
    ...(row.match.query === 'id' ? ['?id'] : []),
    ...(row.body === 'xml' ? ['content-md5', 'x-amz-checksum-*'] : []),
  ];
  const payer = row.level === 'object' ? ['x-amz-request-payer'] : [];
  return { counts: [...new Set([...common, ...counts])], ignored: [...payer, ...ignored], refused };
}

/** Headers that an operation refuses, whatever they say. */
export const REFUSED_HEADERS: Readonly<Partial<Record<OperationName, readonly string[]>>> = Object.fromEntries(
  Object.entries(OWN).flatMap(([name, { refused }]) => (refused === undefined ? [] : [[name, refused]])),
);
