import { md5ToHex } from '../shared/md5.ts';
import {
  type BlobMetadata,
  type BlobProperties,
  type Condition,
  type ContentHeaders,
  type Revision,
  type Tier,
  TIERS,
} from '../../src/store/blob-store.ts';
import type { BlobEncryption, CustomerKey } from '../../src/store/customer-key.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { headerText, type WireHeaders } from '../shared/wire/transport.ts';
import { NamedValues } from '../../src/observe/named-values.ts';

/** Content headers as the service wants them on a write. */
const CONTENT_FIELDS = [
  ['cacheControl', 'x-ms-blob-cache-control'],
  ['contentDisposition', 'x-ms-blob-content-disposition'],
  ['contentEncoding', 'x-ms-blob-content-encoding'],
  ['contentLanguage', 'x-ms-blob-content-language'],
  ['contentType', 'x-ms-blob-content-type'],
] as const satisfies readonly (readonly [keyof ContentHeaders, string])[];

/** `x-ms-blob-*` headers, names and values in turn. */
export function contentHeaders(headers: ContentHeaders | undefined): string[] {
  const flat: string[] = [];
  if (headers === undefined) return flat;
  for (const [field, name] of CONTENT_FIELDS) {
    const value = headers[field];
    if (value !== undefined && value !== '') flat.push(name, value);
  }
  return flat;
}

/** `x-ms-meta-*` headers, names and values in turn. */
export function metadataHeaders(metadata: BlobMetadata): string[] {
  const flat: string[] = [];
  for (const name in metadata) flat.push(`x-ms-meta-${name}`, metadata[name] ?? '');
  return flat;
}

/**
 * Headers of customer-provided keys and of encryption scopes, names and values in turn
 * (https://learn.microsoft.com/azure/storage/blobs/encryption-customer-provided-keys).
 */
export function encryptionHeaders(encryption: BlobEncryption | undefined): string[] {
  if (encryption === undefined) return [];
  return encryption.kind === 'service' ? ['x-ms-encryption-scope', encryption.name] : keyHeaders(encryption.key);
}

/** What the service calls the tiers (https://learn.microsoft.com/azure/storage/blobs/access-tiers-overview). */
const TIER_NAMES: Readonly<Record<Tier, string>> = { hot: 'Hot', cool: 'Cool', cold: 'Cold', archive: 'Archive' };
const TIER_OF: ReadonlyMap<string | undefined, Tier> = new Map(TIERS.map((tier) => [TIER_NAMES[tier], tier]));

/** The header of a tier, name and value in turn. */
export function tierHeader(tier: Tier | undefined): string[] {
  return tier === undefined ? [] : ['x-ms-access-tier', TIER_NAMES[tier]];
}

/** Adds what the service says of a blob's tier. A blob on its way back from Archive is still there. */
export function addTier(properties: { tier?: Tier; archived?: boolean }, name: string | undefined): void {
  const tier = TIER_OF.get(name);
  if (tier === undefined) return;
  properties.tier = tier;
  if (tier === 'archive') properties.archived = true;
}

/** Headers of a customer's key for a read. */
export function keyHeaders(key: CustomerKey | undefined): string[] {
  if (key === undefined) return [];
  return [
    ...['x-ms-encryption-algorithm', 'AES256', 'x-ms-encryption-key', key.base64()],
    ...['x-ms-encryption-key-sha256', key.digestBase64('sha256')],
  ];
}

export function conditionHeaders(condition: Condition | undefined): { ifMatch?: string; ifNoneMatch?: string } {
  if (condition === undefined) return {};
  return condition.kind === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: condition.revision };
}

/** @throws StoreError unexpected when the answer names no revision */
export function revisionOf(headers: WireHeaders): Revision {
  const etag = headerText(headers, 'etag');
  if (etag === undefined) throw new StoreError('unexpected', { cause: new Error('answer without ETag') });
  return etag as Revision;
}

/**
 * Milliseconds since the epoch. Every answer about a blob or container has the header; one that lacks it is taken to
 * speak of now.
 */
export function lastModifiedOf(headers: WireHeaders): number {
  const stated = Date.parse(headerText(headers, 'last-modified') ?? headerText(headers, 'date') ?? '');
  return Number.isNaN(stated) ? Date.now() : stated;
}

/**
 * Properties of a blob from the answer of a read or HEAD.
 * @param whole size and base64 MD5 of all the blob's bytes: a ranged answer shows them elsewhere
 */
export function propertiesOf(
  headers: WireHeaders,
  whole: { readonly size: number; readonly md5: string | undefined },
): BlobProperties {
  const md5 = whole.md5 === undefined ? undefined : md5ToHex(whole.md5);
  // Not by spreads of what may be absent: each read makes one, and they cost several times as much.
  const properties: { -readonly [Name in keyof BlobProperties]: BlobProperties[Name] } = {
    size: whole.size,
    revision: revisionOf(headers),
    lastModified: lastModifiedOf(headers),
    metadata: readMetadata(headers),
  };
  for (const [field, name] of READ_FIELDS) {
    const value = headerText(headers, name);
    if (value !== undefined) properties[field] = value;
  }
  if (md5 !== undefined) properties.md5 = md5;
  addTier(properties, headerText(headers, 'x-ms-access-tier'));
  return properties;
}

const READ_FIELDS = [
  ['contentType', 'content-type'],
  ['contentEncoding', 'content-encoding'],
  ['contentLanguage', 'content-language'],
  ['contentDisposition', 'content-disposition'],
  ['cacheControl', 'cache-control'],
] as const satisfies readonly (readonly [keyof ContentHeaders, string])[];

const META = 'x-ms-meta-';
/** The metadata entry of a container that says which bucket it belongs to. */
export const OWNER_METADATA = 's3gwbucket';

/** `owner` of a container from the answer of Get Container Properties. */
export function ownerOf(headers: WireHeaders): { owner?: string } {
  const owner = headerText(headers, `${META}${OWNER_METADATA}`);
  return owner === undefined ? {} : { owner };
}

function readMetadata(headers: WireHeaders): BlobMetadata {
  const metadata = new NamedValues();
  for (const name in headers) {
    if (!name.startsWith(META)) continue;
    const value = headerText(headers, name);
    if (value !== undefined) metadata[name.slice(META.length)] = value;
  }
  return metadata;
}
