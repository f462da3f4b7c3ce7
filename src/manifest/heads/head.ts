import { createHash } from 'node:crypto';
import type { BlobProperties, BlobRef, ContentHeaders } from '../../store/blob-store.ts';
import type { Bucket } from '../records/bucket.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import { versionRef } from '../records/version-names.ts';
import type { ObjectView } from '../records/object-view.ts';
import { type ObjectRecord, splitMetadata } from '../records/record.ts';

/** What the blob at a key's name says about the key. */
export interface Head {
  readonly ref: BlobRef;
  readonly properties: BlobProperties;
  /** Absent on a blob that native tools wrote. */
  readonly record: ObjectRecord | undefined;
  readonly userMetadata: Readonly<Record<string, string>>;
}

export function parseHead(ref: BlobRef, properties: BlobProperties): Head {
  const { record, native } = splitMetadata(properties.metadata);
  return { ref, properties, record, userMetadata: record?.userMetadata === undefined ? native : { ...native, ...record.userMetadata } };
}

/** True when the key has a current version that is no delete marker. */
export function isLive(head: Head): boolean {
  return head.record?.kind !== 'tomb' && head.record?.kind !== 'void';
}

/** True when the head is, or speaks for, the null version: its record is there and nowhere else. */
export function recordIsHere(head: Head | undefined): boolean {
  const kind = head?.record?.kind ?? 'inline';
  return head !== undefined && (kind === 'inline' || kind === 'mlink');
}

/** S3's name of the null version. */
export const NULL_VERSION = 'null';

/** The object that a live head stands for. Of a link only what listings and conditions need is true: the rest may have changed since. */
export function viewOf(head: Head, bucket: Bucket, key: string): ObjectView {
  const { properties, record } = head;
  const kind = record?.kind ?? 'inline';
  const detached = record?.version !== undefined && kind !== 'inline';
  const ref = detached ? versionRef(bucket, key, record.version) : head.ref;
  const md5 = detached ? undefined : properties.md5;
  return {
    key,
    versionId: kind === 'link' && record?.isNull !== true ? (record?.version ?? NULL_VERSION) : NULL_VERSION,
    headers: record?.headers === undefined ? contentHeadersOf(properties) : { ...contentHeadersOf(properties), ...record.headers },
    userMetadata: head.userMetadata,
    etag: record?.etag ?? md5 ?? opaqueEtag(properties.revision),
    size: detached ? (record.size ?? 0) : properties.size,
    mtime: record === undefined ? Math.floor(properties.lastModified / 1000) * 1000 : (record.mtime ?? mtimeOfSeq(record.seq)),
    ownerId: record?.owner ?? bucket.ownerId,
    archived: properties.archived ?? false,
    bytes: { ref, ...(!detached && { revision: properties.revision }) },
    head: { kind, revision: properties.revision },
    ...(md5 !== undefined && { md5 }),
    ...(record?.acl !== undefined && { acl: record.acl }),
    ...(record?.expires !== undefined && { expires: record.expires }),
    ...(record?.storageClass !== undefined && { storageClass: record.storageClass }),
    ...(record?.websiteRedirect !== undefined && { websiteRedirect: record.websiteRedirect }),
    ...(record?.checksum !== undefined && { checksum: record.checksum }),
    ...(record?.parts !== undefined && { parts: record.parts }),
    ...(record?.tags !== undefined && { tags: record.tags }),
    ...(record?.lock !== undefined && { lock: record.lock }),
  };
}

/**
 * The record of a blob that native tools wrote: what it was taken for until now. Its metadata, once written,
 * changes both its revision and its time.
 */
export function nativeRecord({ properties }: Head): ObjectRecord {
  return {
    kind: 'inline',
    seq: properties.lastModified * 1000,
    ...(properties.md5 === undefined && { etag: opaqueEtag(properties.revision) }),
  };
}

/**
 * ETag of a blob whose MD5 nobody knows (native block uploads). It holds a dash, which tells SDKs
 * not to take it for an MD5; it changes with every write of the blob.
 */
export function opaqueEtag(revision: string): string {
  return `${createHash('sha256').update(revision).digest('hex').slice(0, 32)}-0`;
}

const CONTENT_HEADERS = ['contentType', 'contentEncoding', 'contentLanguage', 'contentDisposition', 'cacheControl'] as const;

/** Nothing and an empty value are the same to the services. */
export function sameContentHeaders(one: ContentHeaders, other: ContentHeaders): boolean {
  return CONTENT_HEADERS.every((name) => (one[name] ?? '') === (other[name] ?? ''));
}

export function contentHeadersOf(properties: ContentHeaders): ContentHeaders {
  const headers: Partial<Record<(typeof CONTENT_HEADERS)[number], string>> = {};
  for (const name of CONTENT_HEADERS) {
    const value = properties[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
