import type { BlobEntry, ListEntry } from '../../store/blob-store.ts';
import { decodeOrdered, encodeOrdered, ESCAPED_PREFIX, type KeyCodec } from '../../store/key-codec.ts';
import { nameComparator } from '../../store/name-order.ts';
import type { Bucket } from '../records/bucket.ts';
import type { ListingRequest } from './listing-entry.ts';
import { codecOf } from '../records/names.ts';
import { RECORD_NAME, tryDecodeRecord } from '../records/record.ts';
import type { VersionToken } from '../records/version-token.ts';

/** A native entry, read back. */
export interface DecodedEntry {
  /** The key, or the rolled-up prefix, that it stands for. */
  readonly key: string;
  /** Absent for a rolled-up prefix. */
  readonly blob?: BlobEntry;
  /** Set on a name that holds only part of its key: names that start so need not stand in the order of their keys. */
  readonly unorderedStem?: string;
  /** The prefix was looked into, and nothing beneath it is shown. */
  readonly isEmpty?: boolean;
  /** Of a version's own blob. */
  readonly token?: VersionToken;
}

/**
 * One half of a bucket: the names that are keys themselves, or the escaped ones. Versions' own blobs are read in the
 * same way.
 */
export interface Region {
  readonly container: string;
  readonly isEscaped: boolean;
  /** With what its names begin. */
  readonly prefix: string;
  /** Given to the backend, whose rolled-up prefixes are then S3's; absent: rolling up is ours. */
  readonly delimiter: string | undefined;
  /** First name of keys `>= key`, for a key that starts with the listing's prefix; undefined: none can follow. */
  startAt(key: string): string | undefined;
  /** Undefined: a name that S3 does not show. */
  decode(entry: ListEntry): DecodedEntry | undefined;
  /** What lies beneath a prefix that the backend rolled up, entry by entry; undefined: no key can. */
  beneath(prefix: string): Region | undefined;
  /** Names of the other region, when they lie amid this one's. */
  readonly foreign?: { isIn(name: string): boolean; readonly end: string };
}

export interface Regions {
  /** Absent when no plain name can hold the prefix. */
  readonly plain?: Region;
  readonly escaped: Region;
}

export function regionsOf(bucket: Bucket, request: ListingRequest): Regions {
  const { store, container } = bucket.home;
  const codec = codecOf(store);
  const compare = nameComparator(store.capabilities.nameOrder);
  const names = codec.prefixes(request.prefix);
  const startIn =
    (region: 'plain' | 'escaped', prefix: string) =>
    (key: string): string | undefined => {
      const name = codec.startAt(key)[region];
      if (name === undefined || name.startsWith(prefix)) return name;
      return compare(name, prefix) < 0 ? prefix : undefined;
    };
  const beneath = (prefix: string): Regions => regionsOf(bucket, { ...request, prefix, delimiter: '' });
  const escaped: Region = {
    container,
    isEscaped: true,
    prefix: names.escaped,
    delimiter: escapedDelimiter(codec, request, names.escaped),
    startAt: startIn('escaped', names.escaped),
    decode: (entry) => decodeEscaped(codec, entry),
    beneath: (prefix) => beneath(prefix).escaped,
  };
  if (names.plain === undefined) return { escaped };
  const plain: Region = {
    container,
    isEscaped: false,
    prefix: names.plain,
    delimiter: plainDelimiter(request, names.plainMeetsEscaped),
    startAt: startIn('plain', names.plain),
    decode: (entry) => decodePlain(codec, entry),
    beneath: (prefix) => beneath(prefix).plain,
    ...(names.plainMeetsEscaped && {
      foreign: { isIn: (name) => codec.isEscapedRegion(name), end: codec.escapedRegion.end },
    }),
  };
  return { plain, escaped };
}

const PRINTABLE = /^[ -~]$/;

/**
 * Printable ASCII means the same to every service; a delimiter that rolls the escaped region up with its neighbours
 * would hide where it begins.
 */
function plainDelimiter({ prefix, delimiter }: ListingRequest, meetsEscaped: boolean): string | undefined {
  if (!PRINTABLE.test(delimiter) || delimiter === '\\') return undefined;
  const at = meetsEscaped ? ESCAPED_PREFIX.indexOf(delimiter, prefix.length) : -1;
  return at < 0 || at === ESCAPED_PREFIX.length - 1 ? delimiter : undefined;
}

/** With a long prefix the native one is shorter, and rolling up would begin too early. */
function escapedDelimiter(codec: KeyCodec, { prefix, delimiter }: ListingRequest, native: string): string | undefined {
  return codec.delimiterWorksEscaped(delimiter) && native === ESCAPED_PREFIX + encodeOrdered(prefix)
    ? delimiter
    : undefined;
}

function decodePlain(codec: KeyCodec, entry: ListEntry): DecodedEntry | undefined {
  if (entry.kind === 'prefix') return codec.prefixes(entry.name).plain === undefined ? undefined : { key: entry.name };
  return codec.isPlainKey(entry.name) ? { key: entry.name, blob: entry } : undefined;
}

function decodeEscaped(codec: KeyCodec, entry: ListEntry): DecodedEntry | undefined {
  if (entry.kind === 'prefix') {
    const key = decodeOrdered(entry.name.slice(ESCAPED_PREFIX.length));
    return key === undefined ? undefined : { key };
  }
  const decoded = codec.decode(entry.name);
  if (decoded.kind === 'key') return { key: decoded.key, blob: entry };
  const key = decoded.kind === 'trueKeyInMetadata' ? trueKey(codec, entry) : undefined;
  return key === undefined
    ? undefined
    : { key, blob: entry, unorderedStem: entry.name.slice(0, entry.name.lastIndexOf('!')) };
}

function trueKey(codec: KeyCodec, { name, metadata }: BlobEntry): string | undefined {
  const key = tryDecodeRecord(metadata[RECORD_NAME] ?? '')?.key;
  return key !== undefined && key !== '' && codec.encode(key).name === name ? key : undefined;
}
