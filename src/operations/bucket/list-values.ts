import { owned } from '../../access/acl/in-force.ts';
import { isPlain } from '../../observe/plain.ts';
import { type Bucket, type ListedEntry, type ListedObject, storageClassOf } from '../../manifest/index.ts';
import { XmlTexts, type XmlValue } from '../../protocol/xml/document.ts';
import { encodeElement, escapeXml } from '../../protocol/xml/encode.ts';
import { OWNER, RESTORE_STATUS } from '../../protocol/xml/list-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { restoreStatus } from '../object/restore-object.ts';
import type { OperationContext } from '../operation.ts';
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
export function contentsTexts(
  entries: readonly ListedEntry[],
  parameters: ListParameters,
  ownerOf: OwnerLookup | undefined,
): XmlTexts | XmlValue[] {
  if (!isPlain) return new XmlTexts(() => eachContents(entries, parameters, ownerOf));
  return entries.flatMap((entry) => (entry.kind === 'object' ? [objectValues(entry, parameters, ownerOf)] : []));
}

/**
 * No closure: of a generator function V8 makes a map for each, which lives until a full collection, and with it all
 * that the closure sees, and what that refers to.
 */
function* eachContents(
  entries: readonly ListedEntry[],
  parameters: ListParameters,
  ownerOf: OwnerLookup | undefined,
): Generator<string> {
  let owner: XmlValue;
  let ownerText = '';
  let texts = '';
  for (const entry of entries) {
    if (entry.kind !== 'object') continue;
    const own = ownerOf?.(entry.ownerId);
    if (own !== owner) {
      owner = own;
      ownerText = encodeElement(OWNER, own);
    }
    texts += contentsText(entry, parameters, ownerText);
    if (texts.length < TOGETHER) continue;
    yield texts;
    texts = '';
  }
  if (texts !== '') yield texts;
}

/** Characters of several objects that are handed over in one piece. */
const TOGETHER = 4096;

/**
 * The quick twin of `objectValues` and the general writer (CONTRIBUTING.md, "Twins"): a page has a thousand objects,
 * which are written in a third of the time.
 */
function contentsText(
  object: Omit<ListedObject, 'kind'>,
  { encode, restoreStatus: isWanted }: ListParameters,
  owner: string,
): string {
  const { checksum } = object;
  const status = isWanted ? restoreStatus(object, Date.now()) : undefined;
  const restored = status === undefined ? '' : encodeElement(RESTORE_STATUS, status);
  const declared =
    checksum === undefined
      ? ''
      : `<ChecksumAlgorithm>${checksum.algorithm}</ChecksumAlgorithm><ChecksumType>${checksum.type}</ChecksumType>`;
  return (
    `<Contents><Key>${escapeXml(encode(object.key))}</Key><LastModified>${xmlDate(object.mtime)}</LastModified>` +
    `<ETag>&quot;${escapeXml(object.etag)}&quot;</ETag>${declared}<Size>${object.size}</Size>${owner}` +
    `<StorageClass>${escapeXml(storageClassOf(object))}</StorageClass>${restored}</Contents>`
  );
}

/** A `Contents`, and what it has in common with a `Version`. */
export function objectValues(
  object: Omit<ListedObject, 'kind'>,
  { encode, restoreStatus: isWanted }: ListParameters,
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
    StorageClass: storageClassOf(object),
    RestoreStatus: isWanted ? restoreStatus(object, Date.now()) : undefined,
  };
}

type Asker = Pick<OperationContext, 'accounts' | 'principal'>;

export type OwnerLookup = (canonicalId: string) => XmlValue;

/**
 * `Owner` elements of one page; nearly all objects of a bucket have the same. Undefined for strangers, who are told of
 * no account: S3 was recorded to leave `Owner` out of a listing for them.
 */
export function ownerLookup({ accounts, principal }: Asker): OwnerLookup | undefined {
  if (principal.kind === 'anonymous') return undefined;
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
export function objectOwners(bucket: Bucket, asker: Asker): OwnerLookup | undefined {
  const lookup = ownerLookup(asker);
  return lookup && ((ownerId) => lookup(owned({ ownerId }, bucket).ownerId));
}
