import type { OperationName } from '../../../../src/protocol/operation-table.ts';
import { CASES } from '../../../support/access/access-cases.ts';
import type { Sent } from '../../../support/clients/acl-client.ts';
import { contentMd5 } from '../../../support/clients/acl-client.ts';
import { BOUNDARY, type Fields, formBody } from '../../../support/clients/post-form.ts';
import { ACTION_OF } from './actions.ts';
import type { Asked } from './rule.ts';

/** Where a request goes: the bucket, and what is in it. */
export interface Place {
  readonly bucket: string;
  readonly uploadId: string;
  readonly etag: string;
  /** Of `object`; where the bucket has no versions, `null`. */
  readonly versionId: string;
}

/** One action of one operation, and a request that takes it. */
export interface Row {
  readonly operation: OperationName;
  /** Without `s3:`; the documents of a cell allow it, deny it or say nothing about it. */
  readonly action: string;
  /** What the request takes besides, which all documents allow. */
  readonly also: readonly string[];
  readonly request: (place: Place) => Sent;
  /** Further fields, of a form. */
  readonly fields?: Fields;
  /** `locked`: the bucket has object lock, and `object` is under governance and a legal hold. */
  readonly place: 'plain' | 'locked';
  /** A refusal for another reason, which shows that the caller was let in. */
  readonly otherwise?: RegExp;
  /** Callers of other accounts who are let in are told so. */
  readonly toOthers?: RegExp;
  /** Nobody of another account is let in, whatever documents say. */
  readonly isOwnAccounts?: boolean;
  /** Without the action the answer lacks this header; it is no refusal. */
  readonly shows?: string;
  /** Done once, there is nothing left to do it to. */
  readonly spends?: boolean;
}

const BY_ACLS: ReadonlySet<string> = new Set([
  'ListBucket',
  'ListBucketVersions',
  'ListBucketMultipartUploads',
  'PutObject',
  'DeleteObject',
  'GetObject',
  'GetObjectVersion',
  'GetObjectAttributes',
  'GetObjectVersionAttributes',
]);
const POLICY: ReadonlySet<string> = new Set(['GetBucketPolicy', 'PutBucketPolicy', 'DeleteBucketPolicy']);
/** What is in an upload is its initiator's, whatever ACLs say. */
const IN_UPLOADS: ReadonlySet<OperationName> = new Set<OperationName>([
  'UploadPart',
  'UploadPartCopy',
  'CompleteMultipartUpload',
]);

/** What an action of a row asks for. */
export function askedBy({ operation, ...row }: Row, action: string): Asked {
  const isUpload = IN_UPLOADS.has(operation) && action === 'PutObject';
  const isMaker = action === 'PutObjectAcl' && row.also.includes('PutObject');
  return {
    level: operation === 'ListBuckets' || operation === 'CreateBucket' ? 'service' : 'bucket',
    byAcl: isMaker ? 'maker' : BY_ACLS.has(action) && !isUpload ? 'all' : 'owner',
    isPolicy: POLICY.has(action),
  };
}

const SPENT: ReadonlySet<OperationName> = new Set<OperationName>([
  'DeleteBucketPolicy',
  'PutBucketAcl',
  'PutPublicAccessBlock',
  'DeletePublicAccessBlock',
  'PutObjectAcl',
  'AbortMultipartUpload',
  'CompleteMultipartUpload',
  'PutBucketOwnershipControls',
  'DeleteBucketOwnershipControls',
]);
const ALSO: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  CopyObject: ['GetObject'],
  UploadPartCopy: ['GetObject'],
  GetObjectAttributes: ['GetObject'],
};

function ownRow(operation: OperationName): Row {
  const found = CASES[operation];
  const action = ACTION_OF[operation];
  if (found === undefined || action === undefined) throw new Error(`no decision about ${operation}`);
  const level = operation.endsWith('Resource') ? { isOwnAccounts: true } : {};
  return {
    operation,
    action,
    also: ALSO[operation] ?? [],
    request: found.request,
    place: 'plain',
    ...level,
    ...(found.otherwise !== undefined && { otherwise: found.otherwise }),
    ...(POLICY.has(action) && { toOthers: /^405 MethodNotAllowed$/ }),
    ...(SPENT.has(operation) && { spends: true }),
  };
}

type More = Omit<Row, 'place' | 'also'> & Partial<Pick<Row, 'place' | 'also'>>;
const row = (more: More): Row => ({ place: 'plain', also: [], ...more });

/** A request of an operation with more headers. */
function withHeaders(operation: OperationName, headers: Readonly<Record<string, string>>): Row['request'] {
  return (place) => {
    const { request } = ownRow(operation);
    const sent = request(place);
    return { ...sent, headers: { ...sent.headers, ...headers } };
  };
}

const UNTIL = new Date(Date.now() + 864e5).toISOString();
const LATER = new Date(Date.now() + 2 * 864e5).toISOString();
const RETAINED = { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': UNTIL };
/** What headers take that make an object, and the same as fields of a form. */
const MAKING: readonly Pick<Row, 'action' | 'place'>[] = [
  { action: 'PutObjectTagging', place: 'plain' },
  { action: 'PutObjectAcl', place: 'plain' },
  { action: 'PutObjectRetention', place: 'locked' },
  { action: 'PutObjectLegalHold', place: 'locked' },
];
const MADE_WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PutObjectTagging: { 'x-amz-tagging': 'a=b' },
  PutObjectAcl: { 'x-amz-acl': 'private' },
  PutObjectRetention: RETAINED,
  PutObjectLegalHold: { 'x-amz-object-lock-legal-hold': 'ON' },
};
const FIELDS: Readonly<Record<string, Fields>> = {
  PutObjectTagging: [['tagging', '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>']],
  PutObjectAcl: [['acl', 'private']],
  PutObjectRetention: Object.entries(RETAINED),
  PutObjectLegalHold: [['x-amz-object-lock-legal-hold', 'ON']],
};

/** The body is another one; its type says where fields begin. */
export function formOf(bucket: string, fields: Fields): Sent {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  return { method: 'POST', target: `/${bucket}`, headers, body: formBody({ fields, file: 'new' }).toString() };
}

const MAKERS: readonly Row[] = MAKING.flatMap(({ action, place }) => {
  const headers = MADE_WITH[action] ?? {};
  const fields = FIELDS[action] ?? [];
  // The object of a locked bucket is put once more, and gets a version: a body of a locked one has a digest.
  const digest = place === 'locked' ? { 'content-md5': contentMd5('new') } : {};
  return [
    row({
      operation: 'PutObject',
      action,
      also: ['PutObject'],
      place,
      request: withHeaders('PutObject', { ...headers, ...digest }),
    }),
    row({
      operation: 'CreateMultipartUpload',
      action,
      also: ['PutObject'],
      place,
      request: withHeaders('CreateMultipartUpload', headers),
    }),
    row({
      operation: 'CopyObject',
      action,
      also: ['PutObject', 'GetObject'],
      place,
      request: withHeaders('CopyObject', {
        ...headers,
        ...(action === 'PutObjectTagging' && { 'x-amz-tagging-directive': 'REPLACE' }),
      }),
    }),
    row({
      operation: 'PostObject',
      action,
      also: ['PutObject'],
      place,
      fields,
      request: ({ bucket }) => formOf(bucket, [['key', 'object'], ...fields]),
    }),
  ];
});

const source =
  (query: string, target = 'copy') =>
  ({ bucket }: Place): Sent => ({
    method: 'PUT',
    target: `/${bucket}/${target}`,
    headers: { 'x-amz-copy-source': `/${bucket}/${query}` },
  });
const partFrom =
  (query: string) =>
  ({ bucket, uploadId }: Place): Sent =>
    source(query, `big?partNumber=1&uploadId=${uploadId}`)({ bucket, uploadId, etag: '', versionId: '' });

const COPIES: readonly Row[] = [
  row({ operation: 'CopyObject', action: 'GetObject', also: ['PutObject'], request: source('object') }),
  row({
    operation: 'CopyObject',
    action: 'GetObjectVersion',
    also: ['PutObject'],
    request: source('object?versionId=null'),
  }),
  row({
    operation: 'CopyObject',
    action: 'GetObjectTagging',
    also: ['PutObject', 'GetObject', 'PutObjectTagging'],
    request: source('tagged'),
  }),
  row({
    operation: 'CopyObject',
    action: 'PutObjectTagging',
    also: ['PutObject', 'GetObject', 'GetObjectTagging'],
    request: source('tagged'),
  }),
  row({
    operation: 'CopyObject',
    action: 'GetObjectVersionTagging',
    also: ['PutObject', 'GetObjectVersion', 'PutObjectTagging'],
    request: source('tagged?versionId=null'),
  }),
  row({ operation: 'UploadPartCopy', action: 'GetObject', also: ['PutObject'], request: partFrom('object') }),
  row({
    operation: 'UploadPartCopy',
    action: 'GetObjectVersion',
    also: ['PutObject'],
    request: partFrom('object?versionId=null'),
  }),
];

/** The same operation of a version that is named. */
function versioned(operation: OperationName, action: string, also: readonly string[] = []): Row {
  const { request, ...rest } = ownRow(operation);
  const named = (place: Place): Sent => {
    const sent = request(place);
    return { ...sent, target: `${sent.target}${sent.target.includes('?') ? '&' : '?'}versionId=null` };
  };
  return { ...rest, action, also, request: named };
}

const VERSIONS: readonly Row[] = [
  versioned('GetObject', 'GetObjectVersion'),
  versioned('HeadObject', 'GetObjectVersion'),
  versioned('DeleteObject', 'DeleteObjectVersion'),
  versioned('GetObjectAcl', 'GetObjectVersionAcl'),
  versioned('PutObjectAcl', 'PutObjectVersionAcl'),
  versioned('GetObjectTagging', 'GetObjectVersionTagging'),
  versioned('PutObjectTagging', 'PutObjectVersionTagging'),
  versioned('DeleteObjectTagging', 'DeleteObjectVersionTagging'),
  versioned('GetObjectAttributes', 'GetObjectVersionAttributes', ['GetObjectVersion']),
  versioned('GetObjectAttributes', 'GetObjectVersion', ['GetObjectVersionAttributes']),
  { ...ownRow('GetObjectAttributes'), action: 'GetObject', also: ['GetObjectAttributes'] },
];

const BYPASS = { 'x-amz-bypass-governance-retention': 'true' };
const deletionOf =
  (item: string, headers: Readonly<Record<string, string>> = {}) =>
  ({ bucket }: Place): Sent => {
    const body = `<Delete><Object>${item}</Object></Delete>`;
    return {
      method: 'POST',
      target: `/${bucket}?delete`,
      headers: { 'content-md5': contentMd5(body), ...headers },
      body,
    };
  };
const retention = `<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>${LATER}</RetainUntilDate></Retention>`;

const LOCKS: readonly Row[] = [
  row({
    operation: 'DeleteObjects',
    action: 'DeleteObjectVersion',
    request: deletionOf('<Key>object</Key><VersionId>null</VersionId>'),
  }),
  row({
    operation: 'DeleteObjects',
    action: 'BypassGovernanceRetention',
    also: ['DeleteObject'],
    place: 'locked',
    request: deletionOf('<Key>object</Key>', BYPASS),
  }),
  row({
    operation: 'DeleteObject',
    action: 'BypassGovernanceRetention',
    also: ['DeleteObject'],
    place: 'locked',
    request: ({ bucket }) => ({ method: 'DELETE', target: `/${bucket}/object`, headers: BYPASS }),
  }),
  row({
    operation: 'PutObjectRetention',
    action: 'BypassGovernanceRetention',
    also: ['PutObjectRetention'],
    place: 'locked',
    request: ({ bucket, versionId }) => ({
      method: 'PUT',
      target: `/${bucket}/object?retention&versionId=${versionId}`,
      body: retention,
      headers: { ...BYPASS, 'content-md5': contentMd5(retention) },
    }),
  }),
  ...(['GetObject', 'HeadObject'] as const).flatMap((operation) =>
    (
      [
        ['GetObjectRetention', 'x-amz-object-lock-mode'],
        ['GetObjectLegalHold', 'x-amz-object-lock-legal-hold'],
      ] as const
    ).map(([action, shows]) =>
      row({ operation, action, also: ['GetObject'], place: 'locked', shows, request: ownRow(operation).request }),
    ),
  ),
];

const created =
  (headers: Readonly<Record<string, string>>, body?: string) =>
  ({ bucket }: Place): Sent => ({ method: 'PUT', target: `/${bucket}`, headers, ...(body !== undefined && { body }) });
const THERE = /^409 BucketAlready/;
const LOCKING = { 'x-amz-bucket-object-lock-enabled': 'true' };
const TAGS =
  '<CreateBucketConfiguration><Tags><Tag><Key>k</Key><Value>v</Value></Tag></Tags></CreateBucketConfiguration>';
const BUCKETS: readonly Row[] = [
  row({
    operation: 'CreateBucket',
    action: 'PutBucketAcl',
    also: ['CreateBucket'],
    otherwise: THERE,
    request: created({ 'x-amz-acl': 'private' }),
  }),
  row({
    operation: 'CreateBucket',
    action: 'PutBucketOwnershipControls',
    also: ['CreateBucket'],
    otherwise: THERE,
    request: created({ 'x-amz-object-ownership': 'ObjectWriter' }),
  }),
  row({
    operation: 'CreateBucket',
    action: 'PutBucketObjectLockConfiguration',
    also: ['CreateBucket', 'PutBucketVersioning'],
    otherwise: THERE,
    request: created(LOCKING),
  }),
  row({
    operation: 'CreateBucket',
    action: 'PutBucketVersioning',
    also: ['CreateBucket', 'PutBucketObjectLockConfiguration'],
    otherwise: THERE,
    request: created(LOCKING),
  }),
  row({
    operation: 'CreateBucket',
    action: 'TagResource',
    also: ['CreateBucket'],
    otherwise: THERE,
    request: created({}, TAGS),
  }),
];

/** A row for each action that the operation table names for an operation. */
export const ROWS: readonly Row[] = [
  ...(Object.keys(ACTION_OF) as OperationName[]).map(ownRow),
  ...MAKERS,
  ...COPIES,
  ...VERSIONS,
  ...LOCKS,
  ...BUCKETS,
];
