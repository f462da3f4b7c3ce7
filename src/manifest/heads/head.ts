import { createHash } from 'node:crypto';
import type { BlobProperties, BlobRef, ContentHeaders } from '../../store/blob-store.ts';
import type { Bucket, BucketHome } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { mtimeOfSeq } from '../records/clock.ts';
import { nativeIn, recordIn } from '../records/metadata.ts';
import type { ObjectView } from '../records/object-view.ts';
import { addFields } from '../records/record-fields.ts';
import {
  type HeadRecord,
  type InlineHead,
  type LooseRecord,
  type OwnRecord,
  RecordFormatError,
  asHead,
} from '../records/record.ts';
import { isRestored } from '../records/restore.ts';
import { shownClass } from '../records/storage-classes.ts';
import { timeOf } from '../records/time.ts';
import { versionRef } from '../records/version-names.ts';

/** Of a head in memory, besides its key and its metadata, which are there as text and as a record. */
const PER_HEAD = 800;
const PER_CHARACTER = 4;

/** A blob that is a version, or that names one, with its record. */
export interface RecordedBlob<R extends HeadRecord | OwnRecord> {
  readonly ref: BlobRef;
  readonly properties: BlobProperties;
  /** Absent on a blob that native tools wrote. */
  readonly record: R | undefined;
  readonly userMetadata: Readonly<Record<string, string>>;
}

/** What the blob at a key's name says about the key. */
export type Head = RecordedBlob<HeadRecord>;

/** A head that this request has seen; undefined: there is none. */
export interface SeenHead {
  readonly head: Head | undefined;
  /** This request read it, or a listing showed it that this request made. */
  readonly trust: 'read' | 'listed';
}

/** A head from before the request. */
export interface RememberedHead {
  readonly head: Head;
  /** This process read or wrote it, or it was listed before a client asked for the key. */
  readonly trust: 'remembered' | 'guessed';
}

/** A head, and how far it can be trusted. The words stand in this order: read, listed, remembered, guessed. */
export type KnownHead = SeenHead | RememberedHead;

/** @throws RecordFormatError */
export function parseHead(ref: BlobRef, properties: BlobProperties): Head {
  const record = recordIn(properties.metadata);
  return withRecord({ ref, properties }, record && asHead(record));
}

/**
 * Parses the head for a listing. A head whose record cannot be read is shown as the blob that it is, so that one blob
 * does not hide all others of its bucket. A read of the object itself fails.
 */
export function parseListedHead(ref: BlobRef, properties: BlobProperties): Head {
  try {
    return parseHead(ref, properties);
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error;
    return withRecord<HeadRecord>({ ref, properties }, undefined);
  }
}

/** The record of a head as a listing takes it: as `parseListedHead`, without what no listing shows. */
export function listedRecord(properties: BlobProperties): HeadRecord | undefined {
  try {
    const record = recordIn(properties.metadata);
    return record && asHead(record);
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error;
    return undefined;
  }
}

/** User metadata is what lies beside the record, and what is in it. */
export function withRecord<R extends HeadRecord | OwnRecord>(
  { ref, properties }: Pick<RecordedBlob<R>, 'ref' | 'properties'>,
  record: R | undefined,
): RecordedBlob<R> {
  const native = nativeIn(properties.metadata);
  const { userMetadata }: Partial<LooseRecord> = record ?? {};
  return {
    ref,
    properties,
    record,
    userMetadata: userMetadata === undefined ? native : { ...native, ...userMetadata },
  };
}

/** About what it takes to remember a head, bytes. */
export function residentBytes(name: string, { properties: { metadata } }: Head): number {
  let characters = name.length;
  for (const value of Object.values(metadata)) characters += value.length;
  return PER_HEAD + PER_CHARACTER * characters;
}

/** True when the key has a current version that is no delete marker. */
export function isLive({ record }: Pick<Head, 'record'>): boolean {
  return record?.kind !== 'marker' && record?.kind !== 'void';
}

/** True when the blob at the key's name is the whole object: nothing of its bytes or its record lies elsewhere. */
export function isWholeObject(record: HeadRecord | undefined): boolean {
  if (record === undefined) return true;
  return record.kind === 'inline' && record.overflow === undefined && record.encryption === undefined;
}

/** True when the head is, or speaks for, the null version: its record is there and nowhere else. */
export function recordIsHere(head: Head | undefined): boolean {
  const kind = head?.record?.kind ?? 'inline';
  return head !== undefined && (kind === 'inline' || kind === 'assembled');
}

/** S3's name of the null version. */
export const NULL_VERSION = 'null';

/**
 * The view of the object that a live head stands for. For a link, only what listings and conditions need is true; the
 * rest may have changed on the version's own blob since.
 */
export function viewOf(head: RecordedBlob<HeadRecord | OwnRecord>, { bucket, key }: KeyRef): ObjectView {
  const { properties, record } = head;
  const detached = record?.kind === 'link' || record?.kind === 'assembled' ? record : undefined;
  const ref = detached === undefined ? head.ref : versionRef({ bucket, key }, detached.version);
  const said: Partial<LooseRecord> = record ?? {};
  const { headers } = said;
  const { revision } = properties;
  const { etag, size, mtime, ownerId, archived } = shownOf(head, bucket);
  // Not by spreads: each read makes one, and they cost several times as much.
  const view: { -readonly [Name in keyof ObjectView]: ObjectView[Name] } = {
    key,
    versionId: detached?.kind === 'link' && detached.isNull !== true ? detached.version : NULL_VERSION,
    headers: headers === undefined ? contentHeadersOf(properties) : { ...contentHeadersOf(properties), ...headers },
    userMetadata: head.userMetadata,
    etag,
    size,
    mtime,
    ownerId,
    archived,
    bytes: detached === undefined ? { ref, revision } : { ref },
    head: { kind: record?.kind ?? 'inline', revision },
  };
  const md5 = md5Of(head);
  if (md5 !== undefined) view.md5 = md5;
  addFields(view, said, 'said', 'shown');
  const storageClass = classOf(head, bucket);
  if (storageClass === undefined) delete view.storageClass;
  else view.storageClass = storageClass;
  return view;
}

/** The storage class that an object shows; undefined: STANDARD. */
export function classOf({ record, properties }: Recorded, { home }: Bucket): string | undefined {
  const { storageClass, encryption }: Partial<LooseRecord> = record ?? {};
  if (encryption?.by.kind === 'archive') return shownClass(home.classes, { storageClass, tier: 'archive' });
  const isHere = !isDetached({ record, properties }) && encryption === undefined;
  return shownClass(home.classes, { storageClass, tier: isHere ? properties.tier : undefined });
}

type Recorded = Pick<RecordedBlob<HeadRecord | OwnRecord>, 'properties' | 'record'>;

/** What listings show of the object that a live head stands for. */
export function shownOf(
  head: Recorded,
  bucket: Bucket,
): Pick<ObjectView, 'etag' | 'size' | 'mtime' | 'ownerId' | 'archived'> {
  const { properties } = head;
  const said: Partial<LooseRecord> = head.record ?? {};
  return {
    etag: said.etag ?? md5Of(head) ?? opaqueEtag(properties.revision),
    size: said.encryption?.size ?? (isDetached(head) ? said.size : undefined) ?? properties.size,
    mtime: mtimeOf(head),
    ownerId: said.owner ?? bucket.ownerId,
    archived: properties.archived ?? isArchived(said, bucket.home),
  };
}

/** The bytes are archived, and nobody has had them restored, as far as reads must mind it. */
function isArchived({ encryption, restore }: Partial<LooseRecord>, home: BucketHome): boolean {
  if (encryption?.by.kind !== 'archive' || home.classes?.restore === 'immediate') return false;
  return !isRestored(restore, timeOf(home).now());
}

/** The bytes lie elsewhere: the head's own blob is empty. */
function isDetached({ record }: Recorded): boolean {
  return record?.kind === 'link' || record?.kind === 'assembled';
}

/** That of the blob, where its bytes are the object's. */
function md5Of(head: Recorded): string | undefined {
  const { encryption }: Partial<LooseRecord> = head.record ?? {};
  return isDetached(head) || encryption !== undefined ? undefined : head.properties.md5;
}

/** S3's Last-Modified in milliseconds; of a blob that native tools wrote, its time. */
export function mtimeOf({ record, properties }: Recorded): number {
  return record === undefined
    ? Math.floor(properties.lastModified / 1000) * 1000
    : (record.mtime ?? mtimeOfSeq(record.seq));
}

/**
 * The record of a blob that native tools wrote: what it was taken for until now. Its metadata, once written,
 * changes both its revision and its time.
 */
export function nativeRecord({ properties }: Head): InlineHead {
  return {
    kind: 'inline',
    seq: properties.lastModified * 1000,
    ...(properties.md5 === undefined && { etag: opaqueEtag(properties.revision) }),
  };
}

/**
 * ETag of a blob whose MD5 is unknown (native block uploads). It holds a dash, which tells SDKs not to take it for an
 * MD5; it changes with every write of the blob.
 */
export function opaqueEtag(revision: string): string {
  return `${createHash('sha256').update(revision).digest('hex').slice(0, 32)}-0`;
}

const CONTENT_HEADERS = [
  'contentType',
  'contentEncoding',
  'contentLanguage',
  'contentDisposition',
  'cacheControl',
] as const;

/** Whether two sets of headers are the same. To the services, a missing and an empty value are the same. */
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
