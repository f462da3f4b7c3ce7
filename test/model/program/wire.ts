import { createHash } from 'node:crypto';
import {
  type Attributes,
  type Bypass,
  type Call,
  type NamedVersion,
  type Page,
  perCall,
  type PerCall,
  type WriteConditions,
} from '../reference/calls.ts';

/** What goes over the wire; the target without the bucket. */
interface WireRequest {
  readonly method: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/**
 * The call as HTTP; it names versions, uploads and tokens as the server does.
 * @param bucket of copy sources, which are of the same one
 */
export function wireRequest(call: Call, bucket: string): WireRequest {
  const { key = '', query = {}, headers = {}, body = '', ...rest } = perCall(REQUESTS, call);
  return {
    ...rest,
    key,
    query,
    headers: {
      ...headers,
      ...(headers['x-amz-copy-source'] !== undefined && {
        'x-amz-copy-source': `${bucket}/${headers['x-amz-copy-source']}`,
      }),
    },
    body,
  };
}

/** Percent-encoded, but for what belongs to a path: dot segments and double slashes go out as they are. */
function pathOf(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

export function targetOf(bucket: string, { key, query }: WireRequest): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `/${bucket}${key === '' ? '' : `/${pathOf(key)}`}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

const REQUESTS: PerCall<Pick<WireRequest, 'method'> & Partial<WireRequest>> = {
  PutBucketVersioning: ({ status }) =>
    document(
      'PUT',
      { versioning: '' },
      `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
    ),
  GetBucketVersioning: () => ({ method: 'GET', query: { versioning: '' } }),
  PutObjectLockConfiguration: ({ byDefault }) => {
    const rule =
      byDefault &&
      `<Rule><DefaultRetention><Mode>${byDefault.mode}</Mode><Days>${byDefault.days}</Days></DefaultRetention></Rule>`;
    return document(
      'PUT',
      { 'object-lock': '' },
      `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule ?? ''}</ObjectLockConfiguration>`,
    );
  },
  GetObjectLockConfiguration: () => ({ method: 'GET', query: { 'object-lock': '' } }),
  PutObject: (call) => ({
    method: 'PUT',
    key: call.key,
    headers: { ...attributes(call), ...conditions(call), ...digest(call.body) },
    body: call.body,
  }),
  GetObject: (call) => ({
    method: 'GET',
    ...named(call, { partNumber: call.partNumber }),
    headers: { ...conditions(call), range: call.range },
  }),
  HeadObject: (call) => ({
    method: 'HEAD',
    ...named(call, { partNumber: call.partNumber }),
    headers: { ...conditions(call), range: call.range },
  }),
  GetObjectAttributes: (call) => ({
    method: 'GET',
    ...named(call, { attributes: '' }),
    headers: { 'x-amz-object-attributes': 'ETag,ObjectSize,StorageClass,ObjectParts' },
  }),
  CopyObject: (call) => ({
    method: 'PUT',
    key: call.key,
    headers: {
      'x-amz-copy-source': copySource(call.source),
      ...(call.replaceMetadata === true && { 'x-amz-metadata-directive': 'REPLACE' }),
      ...(call.replaceTags === true && { 'x-amz-tagging-directive': 'REPLACE' }),
      ...attributes(call),
      ...conditions(call),
      ...conditions(call.sourceConditions, 'x-amz-copy-source-'),
    },
  }),
  DeleteObject: (call) => ({
    method: 'DELETE',
    ...named(call),
    headers: { 'if-match': call.ifMatch, ...bypass(call) },
  }),
  DeleteObjects: ({ objects, quiet, ...call }) => {
    const request = document(
      'POST',
      { delete: '' },
      `<Delete><Quiet>${quiet}</Quiet>${objects.map(objectElement).join('')}</Delete>`,
    );
    return { ...request, headers: { ...request.headers, ...bypass(call) } };
  },
  GetObjectTagging: (call) => ({ method: 'GET', ...named(call, { tagging: '' }) }),
  PutObjectTagging: (call) => {
    const elements = Object.entries(call.tags).map(
      ([name, value]) => `<Tag><Key>${name}</Key><Value>${value}</Value></Tag>`,
    );
    return {
      ...document('PUT', {}, `<Tagging><TagSet>${elements.join('')}</TagSet></Tagging>`),
      ...named(call, { tagging: '' }),
    };
  },
  DeleteObjectTagging: (call) => ({ method: 'DELETE', ...named(call, { tagging: '' }) }),
  GetObjectAcl: (call) => ({ method: 'GET', ...named(call, { acl: '' }) }),
  PutObjectAcl: (call) => ({ method: 'PUT', ...named(call, { acl: '' }), headers: { 'x-amz-acl': call.acl } }),
  GetObjectRetention: (call) => ({ method: 'GET', ...named(call, { retention: '' }) }),
  PutObjectRetention: ({ retention: { mode, until }, ...call }) => {
    const request = document(
      'PUT',
      {},
      `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`,
    );
    return { ...request, ...named(call, { retention: '' }), headers: { ...request.headers, ...bypass(call) } };
  },
  GetObjectLegalHold: (call) => ({ method: 'GET', ...named(call, { 'legal-hold': '' }) }),
  PutObjectLegalHold: (call) => ({
    ...document('PUT', {}, `<LegalHold><Status>${call.hold}</Status></LegalHold>`),
    ...named(call, { 'legal-hold': '' }),
  }),
  CreateMultipartUpload: (call) => ({
    method: 'POST',
    key: call.key,
    query: { uploads: '' },
    headers: attributes(call),
  }),
  UploadPart: ({ key, uploadId, number, body }) => ({
    method: 'PUT',
    key,
    query: { partNumber: number, uploadId },
    body,
  }),
  UploadPartCopy: ({ key, uploadId, number, source, range }) => ({
    method: 'PUT',
    key,
    query: { partNumber: number, uploadId },
    headers: { 'x-amz-copy-source': copySource(source), 'x-amz-copy-source-range': range },
  }),
  CompleteMultipartUpload: (call) => {
    const parts = call.parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    return {
      method: 'POST',
      key: call.key,
      query: { uploadId: call.uploadId },
      headers: conditions(call),
      body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    };
  },
  AbortMultipartUpload: ({ key, uploadId }) => ({ method: 'DELETE', key, query: { uploadId } }),
  ListParts: ({ key, uploadId, maxParts, partNumberMarker }) => ({
    method: 'GET',
    key,
    query: { 'max-parts': maxParts, 'part-number-marker': partNumberMarker, uploadId },
  }),
  ListMultipartUploads: (call) => ({
    method: 'GET',
    query: {
      uploads: '',
      ...page(call),
      'max-uploads': call.limit,
      'key-marker': call.keyMarker,
      'upload-id-marker': call.uploadIdMarker,
    },
  }),
  ListObjects: (call) => ({ method: 'GET', query: { ...page(call), 'max-keys': call.limit, marker: call.marker } }),
  ListObjectsV2: (call) => ({
    method: 'GET',
    query: {
      'list-type': 2,
      ...page(call),
      'max-keys': call.limit,
      'start-after': call.startAfter,
      'continuation-token': call.continuationToken,
    },
  }),
  ListObjectVersions: (call) => ({
    method: 'GET',
    query: {
      versions: '',
      ...page(call),
      'max-keys': call.limit,
      'key-marker': call.keyMarker,
      'version-id-marker': call.versionIdMarker,
    },
  }),
};

function named({ key, versionId }: NamedVersion, query: WireRequest['query'] = {}): Pick<WireRequest, 'key' | 'query'> {
  return { key, query: { ...query, versionId } };
}

function page({ prefix, delimiter }: Page): WireRequest['query'] {
  return { prefix, delimiter };
}

function conditions({ ifMatch, ifNoneMatch }: WriteConditions, prefix = ''): WireRequest['headers'] {
  return { [`${prefix}if-match`]: ifMatch, [`${prefix}if-none-match`]: ifNoneMatch };
}

function attributes({
  contentType,
  note,
  storageClass,
  tags,
  acl,
  retention,
  hold,
}: Attributes): WireRequest['headers'] {
  return {
    'content-type': contentType,
    'x-amz-meta-note': note,
    'x-amz-storage-class': storageClass,
    'x-amz-tagging': tags === undefined ? undefined : new URLSearchParams(tags).toString(),
    'x-amz-acl': acl,
    'x-amz-object-lock-mode': retention?.mode,
    'x-amz-object-lock-retain-until-date': retention?.until,
    'x-amz-object-lock-legal-hold': hold,
  };
}

function bypass(call: Bypass): WireRequest['headers'] {
  return { 'x-amz-bypass-governance-retention': call.bypass === true ? 'true' : undefined };
}

function digest(body: string): WireRequest['headers'] {
  return { 'content-md5': createHash('md5').update(body).digest('base64') };
}

function copySource({ key, versionId }: NamedVersion): string {
  return `${pathOf(key)}${versionId === undefined ? '' : `?versionId=${encodeURIComponent(versionId)}`}`;
}

function objectElement({ key, versionId }: NamedVersion): string {
  const escaped = key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<Object><Key>${escaped}</Key>${versionId === undefined ? '' : `<VersionId>${versionId}</VersionId>`}</Object>`;
}

function document(method: string, query: WireRequest['query'], body: string): Omit<WireRequest, 'key'> {
  return { method, query, headers: digest(body), body };
}
