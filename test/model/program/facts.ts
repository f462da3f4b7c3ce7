import type { RawAnswer } from '../../support/clients/raw-http.ts';
import type { Answer, Facts, Json } from '../reference/answer.ts';
import { type Call, perCall, type PerCall } from '../reference/calls.ts';
import { inOrder } from '../reference/deletions.ts';

const HEADERS = [
  'x-amz-version-id',
  'x-amz-delete-marker',
  'x-amz-copy-source-version-id',
  'etag',
  'x-amz-tagging-count',
  'x-amz-storage-class',
  'x-amz-mp-parts-count',
  'x-amz-meta-note',
  'content-range',
  'allow',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-retain-until-date',
  'x-amz-object-lock-legal-hold',
];
/** Of an object; other answers have their own. */
const OBJECT_HEADERS: Readonly<Record<string, readonly string[]>> = {
  GetObject: ['content-type'],
  HeadObject: ['content-type', 'content-length'],
};

/** As the root: the answers of calls that take long are 200 before it is known how they end. */
const ERROR = /^<\?xml[^>]*>\s*<Error>.*?<Code>(\w+)</s;

/** What of a server's answer is compared. */
export function factsOf(call: Call, { status, headers, body }: RawAnswer): Answer {
  const isSuccess = status < 300;
  const names = [...HEADERS, ...(isSuccess ? (OBJECT_HEADERS[call.op] ?? []) : [])];
  const present = names.flatMap((name) =>
    headers[name] === undefined
      ? []
      : [[name, name.endsWith('-date') ? asDate(headers[name]) : headers[name]] as const],
  );
  const code = ERROR.exec(body)?.[1];
  const facts = isSuccess && code === undefined ? perCall(BODIES, call)(body) : undefined;
  const answer = { status, ...(code !== undefined && { code }), headers: Object.fromEntries(present) };
  return facts === undefined ? answer : { ...answer, body: facts };
}

type Reader = (body: string) => Json | undefined;
const nothing = (): Reader => () => undefined;

const BODIES: PerCall<Reader> = {
  PutBucketVersioning: nothing,
  GetBucketVersioning: () => (body) => text(body, 'Status') ?? '',
  PutObjectLockConfiguration: nothing,
  GetObjectLockConfiguration: () => (body) => {
    const days = text(body, 'Days');
    return { mode: text(body, 'Mode'), days: days === undefined ? undefined : Number(days) };
  },
  PutObject: nothing,
  GetObject: () => (body) => body,
  HeadObject: nothing,
  GetObjectAttributes: () => (body) => {
    const parts = text(body, 'PartsCount');
    return {
      etag: text(body, 'ETag'),
      size: Number(text(body, 'ObjectSize')),
      storageClass: text(body, 'StorageClass'),
      ...(parts !== undefined && { parts: Number(parts) }),
    };
  },
  CopyObject: () => (body) => ({ etag: text(body, 'ETag') }),
  DeleteObject: nothing,
  DeleteObjects: () => (body) =>
    inOrder([...elements(body, 'Deleted').map(deletedFacts), ...elements(body, 'Error').map(failedFacts)]),
  GetObjectTagging: () => (body) =>
    Object.fromEntries(elements(body, 'Tag').map(([, tag]) => [text(tag, 'Key') ?? '', text(tag, 'Value')])),
  PutObjectTagging: nothing,
  DeleteObjectTagging: nothing,
  GetObjectAcl: () => (body) =>
    elements(body, 'Grant')
      .map(([, grant]) => `${text(grant, 'URI')?.split('/').at(-1) ?? 'owner'} ${text(grant, 'Permission') ?? ''}`)
      .sort(),
  PutObjectAcl: nothing,
  GetObjectRetention: () => (body) => ({ mode: text(body, 'Mode'), until: asDate(text(body, 'RetainUntilDate')) }),
  PutObjectRetention: nothing,
  GetObjectLegalHold: () => (body) => text(body, 'Status'),
  PutObjectLegalHold: nothing,
  CreateMultipartUpload: () => (body) => ({ uploadId: text(body, 'UploadId') }),
  UploadPart: nothing,
  UploadPartCopy: () => (body) => ({ etag: text(body, 'ETag') }),
  CompleteMultipartUpload: () => (body) => ({ key: text(body, 'Key'), etag: text(body, 'ETag') }),
  AbortMultipartUpload: nothing,
  ListParts: () => (body) => ({
    marker: Number(text(body, 'PartNumberMarker')),
    next: Number(text(body, 'NextPartNumberMarker')),
    isTruncated: isTruncated(body),
    parts: elements(body, 'Part').map(([, part]) => ({
      number: Number(text(part, 'PartNumber')),
      etag: text(part, 'ETag'),
      size: Number(text(part, 'Size')),
    })),
  }),
  ListMultipartUploads: () => (body) => ({
    isTruncated: isTruncated(body),
    uploads: elements(body, 'Upload').map(([, upload]) => ({
      key: text(upload, 'Key'),
      uploadId: text(upload, 'UploadId'),
      storageClass: text(upload, 'StorageClass'),
    })),
    prefixes: prefixes(body),
    nextKeyMarker: text(body, 'NextKeyMarker'),
    nextUploadIdMarker: text(body, 'NextUploadIdMarker'),
  }),
  ListObjects: () => (body) => ({
    ...objects(body),
    marker: text(body, 'Marker'),
    nextMarker: text(body, 'NextMarker'),
  }),
  ListObjectsV2: () => (body) => ({
    ...objects(body),
    keyCount: Number(text(body, 'KeyCount')),
    nextContinuationToken: text(body, 'NextContinuationToken'),
  }),
  ListObjectVersions: () => (body) => ({
    isTruncated: isTruncated(body),
    keyMarker: text(body, 'KeyMarker'),
    versionIdMarker: text(body, 'VersionIdMarker'),
    versions: elements(body, 'Version|DeleteMarker').map(([kind, version]) => ({
      kind,
      versionId: text(version, 'VersionId'),
      isLatest: text(version, 'IsLatest') === 'true',
      ...objectFacts(version),
    })),
    prefixes: prefixes(body),
    nextKeyMarker: text(body, 'NextKeyMarker'),
    nextVersionIdMarker: text(body, 'NextVersionIdMarker'),
  }),
};

/** The same instant may be written with or without milliseconds. */
function asDate(date: string | undefined): string {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? `no date: ${date ?? 'nothing'}` : new Date(time).toISOString();
}

function objects(body: string): Facts {
  return {
    isTruncated: isTruncated(body),
    objects: elements(body, 'Contents').map(([, object]) => objectFacts(object)),
    prefixes: prefixes(body),
  };
}

function objectFacts(element: string): Facts {
  const size = text(element, 'Size');
  return {
    key: text(element, 'Key'),
    etag: text(element, 'ETag'),
    size: size === undefined ? undefined : Number(size),
    storageClass: text(element, 'StorageClass'),
  };
}

function deletedFacts([, deleted]: Element): Facts {
  return {
    key: text(deleted, 'Key'),
    versionId: text(deleted, 'VersionId'),
    deleteMarker: text(deleted, 'DeleteMarker') === 'true' ? true : undefined,
    deleteMarkerVersionId: text(deleted, 'DeleteMarkerVersionId'),
  };
}

function failedFacts([, failed]: Element): Facts {
  return { key: text(failed, 'Key'), versionId: text(failed, 'VersionId'), code: text(failed, 'Code') };
}

function prefixes(body: string): Json[] {
  return elements(body, 'CommonPrefixes').map(([, element]) => text(element, 'Prefix') ?? '');
}

function isTruncated(body: string): boolean {
  return text(body, 'IsTruncated') === 'true';
}

type Element = readonly [name: string, inner: string];

/** In the order of the document. */
function elements(xml: string, names: string): Element[] {
  return [...xml.matchAll(new RegExp(`<(${names})(?: [^>]*)?>(.*?)</\\1>`, 'gs'))].map(([, name = '', inner = '']) => [
    name,
    inner,
  ]);
}

/** Of the first element of the name, wherever it stands; undefined if there is none. */
function text(xml: string, name: string): string | undefined {
  const match = new RegExp(`<${name}(?: [^>]*)?(?:/>|>([^<]*)</${name}>)`).exec(xml);
  return match === null ? undefined : unescape(match[1] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescape(escaped: string): string {
  return escaped.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}
