import type { AccountDirectory } from '../../access/accounts.ts';
import { owned } from '../../access/acl/in-force.ts';
import type { Bucket } from '../../manifest/records/bucket.ts';
import type { ListedEntry, ListedObject } from '../../manifest/listing/listing.ts';
import type { XmlValue } from '../../protocol/xml/document.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import type { ListParameters } from './list-parameters.ts';

/** The part of the answer that repeats the request, common to all listings. */
export function pageValues(bucket: Bucket, parameters: ListParameters, isTruncated: boolean): Record<string, XmlValue> {
  const { prefix, delimiter, maxKeys, encodingType, encode } = parameters;
  return {
    Name: bucket.name,
    Prefix: encode(prefix),
    MaxKeys: maxKeys,
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    EncodingType: encodingType,
    IsTruncated: isTruncated,
  };
}

/** `CommonPrefixes` among the entries of a page. */
export function prefixValues(
  entries: readonly { readonly kind: string; readonly key: string }[],
  { encode }: ListParameters,
): XmlValue[] {
  return entries.filter(({ kind }) => kind === 'prefix').map(({ key }) => ({ Prefix: encode(key) }));
}

/** `Contents` among the entries of a page; with owners if there is a look-up for them. */
export function contentsValues(
  entries: readonly ListedEntry[],
  { encode }: ListParameters,
  ownerOf: OwnerLookup | undefined,
): XmlValue[] {
  const values: XmlValue[] = [];
  for (const entry of entries) {
    if (entry.kind === 'object') values.push(objectValues(entry, encode, ownerOf));
  }
  return values;
}

/** A `Contents`, and what it has in common with a `Version`. */
export function objectValues(
  object: Omit<ListedObject, 'kind'>,
  encode: ListParameters['encode'],
  ownerOf: OwnerLookup | undefined,
): Record<string, XmlValue> {
  const { checksum } = object;
  return {
    Key: encode(object.key),
    LastModified: xmlDate(object.mtime),
    ETag: `"${object.etag}"`,
    ChecksumAlgorithm: checksum && [checksum.algorithm],
    ChecksumType: checksum?.type,
    Size: object.size,
    Owner: ownerOf?.(object.ownerId),
    StorageClass: object.storageClass ?? (object.archived ? 'GLACIER' : 'STANDARD'),
  };
}

export type OwnerLookup = (canonicalId: string) => XmlValue;

/** `Owner` elements of one page; nearly all objects of a bucket have the same. */
export function ownerLookup(accounts: AccountDirectory): OwnerLookup {
  const known = new Map<string, XmlValue>();
  return (ID) => {
    let owner = known.get(ID);
    if (owner === undefined) {
      owner = { ID, DisplayName: accounts.byCanonicalId(ID)?.displayName };
      known.set(ID, owner);
    }
    return owner;
  };
}

/** As `ownerLookup`, for objects of a bucket whose owner may own all that is in it. */
export function objectOwners(bucket: Bucket, accounts: AccountDirectory): OwnerLookup {
  const lookup = ownerLookup(accounts);
  return (ownerId) => lookup(owned({ ownerId }, bucket).ownerId);
}
