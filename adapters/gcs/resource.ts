import {
  type BlobMetadata,
  type BlobProperties,
  type ContentHeaders,
  type Revision,
  type Tier,
  TIERS,
  type WriteResult,
} from '../../src/store/blob-store.ts';
import { md5ToHex } from '../shared/md5.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { unusableAnswer } from '../shared/wire/wire-failure.ts';
import { revisionFrom } from './revision.ts';
import { NamedValues } from '../../src/observe/named-values.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/objects#resource, as far as it is read here. */
export interface ObjectResource extends ContentHeaders {
  readonly name?: string;
  /** Decimal. */
  readonly size?: string;
  readonly generation?: string;
  readonly metageneration?: string;
  /** RFC 3339; of this generation, whatever became of its metadata. */
  readonly timeCreated?: string;
  /** Base64; composed objects have none. */
  readonly md5Hash?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly storageClass?: string;
}

const WRITE_FIELDS = ['generation', 'metageneration', 'timeCreated', 'md5Hash'];
const CONTENT_FIELDS = [
  'contentType',
  'contentEncoding',
  'contentLanguage',
  'contentDisposition',
  'cacheControl',
] as const;
/** What to ask for of an object (https://cloud.google.com/storage/docs/json_api#partial-response). */
export const WRITTEN = WRITE_FIELDS.join(',');
export const ALL = [...WRITE_FIELDS, 'name', 'size', ...CONTENT_FIELDS, 'metadata', 'storageClass'].join(',');

/** What the service calls the tiers (https://cloud.google.com/storage/docs/storage-classes). */
const CLASSES: Readonly<Record<Tier, string>> = {
  hot: 'STANDARD',
  cool: 'NEARLINE',
  cold: 'COLDLINE',
  archive: 'ARCHIVE',
};
const TIER_OF: ReadonlyMap<string | undefined, Tier> = new Map(TIERS.map((tier) => [CLASSES[tier], tier]));

/** @returns undefined for a class of old, which says where an object lies */
export function tierOf(storageClass: string | undefined): Tier | undefined {
  return TIER_OF.get(storageClass);
}

/**
 * Metadata of the adapter's own, never handed out. Composed objects have no MD5 of the service's, so a known one is
 * written down; and what became of `Cache-Control`: `set`, it reads like the service's default but was really set;
 * `added`, `no-transform` was added to it here.
 */
const MD5_ENTRY = 's3gw_md5';
const CACHE_ENTRY = 's3gw_cache';
export const PRIVATE_METADATA_BYTES = 64;

/** What reads answer for objects without the setting: private ones, public ones, public ones under a customer's key. */
const DEFAULT_CACHE_CONTROL: ReadonlySet<string> = new Set([
  'private, max-age=0',
  'public, max-age=3600',
  'no-cache, no-store, max-age=0',
]);

/**
 * The same for objects under keys of customers or of Cloud KMS, and in buckets whose readers pay. Applications set it,
 * too: only the service's own comes with `Pragma: no-cache`.
 */
const DEFAULT_WITH_PRAGMA = 'no-cache, no-store, max-age=0, must-revalidate';

/**
 * Keeps the service from unpacking what was stored packed
 * (https://cloud.google.com/storage/docs/transcoding#no-transform). It was seen to unpack even for readers that accept
 * gzip.
 */
const AS_STORED = 'no-transform';

export function isGzip(encoding: string | undefined): boolean {
  return encoding?.toLowerCase() === 'gzip';
}

/** What the service itself takes for objects without a type. */
const DEFAULT_TYPE = 'application/octet-stream';

/** A resource for an upload, a compose or a rewrite: all that the object shall have. */
interface NewResource {
  readonly headers?: ContentHeaders | undefined;
  readonly metadata: BlobMetadata;
  /** Hex MD5 to be recorded for an object whose own the service will not know. */
  readonly recordedMd5?: string | undefined;
  /** Absent: the bucket's default. */
  readonly tier?: Tier | undefined;
}

export function newResource({ headers, metadata, recordedMd5, tier }: NewResource): { readonly contentType: string } {
  // A rewrite whose resource names no type might keep the source's.
  const resource: Record<string, unknown> & { contentType: string } = { contentType: DEFAULT_TYPE };
  for (const field of CONTENT_FIELDS) {
    const value = headers?.[field];
    if (value !== undefined && value !== '') resource[field] = value;
  }
  if (tier !== undefined) resource['storageClass'] = CLASSES[tier];
  const { value, mark } = storedCacheControl(headers);
  if (value !== undefined) resource['cacheControl'] = value;
  resource['metadata'] = {
    ...metadata,
    ...(recordedMd5 !== undefined && { [MD5_ENTRY]: recordedMd5 }),
    ...(mark !== undefined && { [CACHE_ENTRY]: mark }),
  };
  return resource;
}

/** What is stored as `Cache-Control`, and the note about it; no value: what is given. */
function storedCacheControl(headers: ContentHeaders | undefined): { value?: string; mark?: 'set' | 'added' } {
  const given = headers?.cacheControl ?? '';
  if (isGzip(headers?.contentEncoding) && !given.toLowerCase().includes(AS_STORED)) {
    return { value: given === '' ? AS_STORED : `${given}, ${AS_STORED}`, mark: 'added' };
  }
  return DEFAULT_CACHE_CONTROL.has(given) || given === DEFAULT_WITH_PRAGMA ? { mark: 'set' } : {};
}

/** The patch that makes `metadata` all of an object's; the adapter's own entries stay. */
export function metadataPatch(before: ObjectResource, metadata: BlobMetadata): Readonly<Record<string, string | null>> {
  const patch: Record<string, string | null> = {};
  for (const name in before.metadata) if (name !== MD5_ENTRY && name !== CACHE_ENTRY) patch[name] = null;
  return { ...patch, ...metadata };
}

/**
 * What an answer to a change says of the object.
 * @param call port method
 * @throws StoreError lost, when the answer does not name the generation: the change is made
 */
export function writeResult(resource: ObjectResource, call: string): WriteResult {
  if (resource.generation === undefined) throw unusableAnswer(call, 'answer without generation');
  return stateOf(resource);
}

/** @throws StoreError unexpected when the answer lacks what every object has */
export function stateOf(resource: ObjectResource): WriteResult {
  const { md5Hash } = resource;
  const md5 = md5Hash === undefined ? undefined : md5ToHex(md5Hash);
  return { revision: revisionOf(resource), lastModified: modifiedOf(resource), ...(md5 !== undefined && { md5 }) };
}

/** @throws StoreError unexpected when the answer lacks what every object has */
function revisionOf({ generation, metageneration = '1' }: ObjectResource): Revision {
  if (generation === undefined) throw new StoreError('unexpected', { cause: new Error('answer without generation') });
  return revisionFrom({ generation, metageneration });
}

/** Milliseconds, whole seconds. */
function modifiedOf({ timeCreated }: ObjectResource): number {
  return wholeSeconds(timeCreated === undefined ? Date.now() : Date.parse(timeCreated));
}

/** Member by member, as a page of a listing has a thousand of them. @throws StoreError unexpected */
export function propertiesOf(resource: ObjectResource): BlobProperties {
  const { md5Hash, metadata = {} } = resource;
  const properties: { -readonly [Field in keyof BlobProperties]: BlobProperties[Field] } = {
    size: Number(resource.size ?? 0),
    revision: revisionOf(resource),
    lastModified: modifiedOf(resource),
    metadata: metadataOf(metadata),
  };
  const md5 = (md5Hash === undefined ? undefined : md5ToHex(md5Hash)) ?? recordedMd5(metadata);
  if (md5 !== undefined) properties.md5 = md5;
  const tier = tierOf(resource.storageClass);
  if (tier !== undefined) properties.tier = tier;
  for (const field of CONTENT_FIELDS) {
    const value = givenHeader(resource, field);
    if (value !== undefined && value !== '') properties[field] = value;
  }
  return properties;
}

/** Metadata in the port's form, and the MD5 that is known either way. Entries without a value are none. */
export function ownMetadata(
  raw: Readonly<Record<string, string>>,
  md5: string | undefined,
): { metadata: BlobMetadata; md5?: string } {
  const known = md5 ?? recordedMd5(raw);
  return { metadata: metadataOf(raw), ...(known !== undefined && { md5: known }) };
}

/** Without the adapter's own, and without entries that have no value. */
function metadataOf(raw: Readonly<Record<string, string>> | undefined): BlobMetadata {
  const metadata = new NamedValues();
  for (const name in raw) {
    const value = raw[name];
    if (value !== undefined && value !== '' && name !== MD5_ENTRY && name !== CACHE_ENTRY) {
      metadata[name.toLowerCase()] = value;
    }
  }
  return metadata;
}

/** Others can write there, too. */
function recordedMd5(raw: Readonly<Record<string, string>>): string | undefined {
  const recorded = raw[MD5_ENTRY];
  return recorded !== undefined && MD5.test(recorded) ? recorded : undefined;
}

const MD5 = /^[0-9a-f]{32}$/;

/** A `Cache-Control` that a read answered: undefined when it is only the service's default. */
export function setCacheControl(
  value: string | undefined,
  { raw, pragma }: { readonly raw: Readonly<Record<string, string>>; readonly pragma?: string | undefined },
): string | undefined {
  const isDefault =
    value !== undefined &&
    (DEFAULT_CACHE_CONTROL.has(value) || (value === DEFAULT_WITH_PRAGMA && pragma === 'no-cache'));
  return isDefault && raw[CACHE_ENTRY] === undefined ? undefined : givenCacheControl(value, raw);
}

/** A content header as it was given: what is stored may have more. */
function givenHeader(resource: ObjectResource, field: (typeof CONTENT_FIELDS)[number]): string | undefined {
  const value = resource[field];
  return field === 'cacheControl' && value !== undefined ? givenCacheControl(value, resource.metadata) : value;
}

/** What was stored, without what was added to it here. */
function givenCacheControl(
  value: string | undefined,
  raw: Readonly<Record<string, string>> | undefined,
): string | undefined {
  if (value === undefined || raw?.[CACHE_ENTRY] !== 'added' || !value.endsWith(AS_STORED)) return value;
  return value === AS_STORED ? undefined : value.slice(0, -`, ${AS_STORED}`.length);
}

/** The headers of reads know no parts of a second. */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
