import type { StoreCapabilities } from './blob-store.ts';
import { successorOfPrefix } from './name-order.ts';
import {
  decodeOrdered,
  encodeOrderedPrefix,
  encodeOrderedWithin,
  isCutEncoding,
  type OrderedLimits,
} from './ordered-encoding.ts';
import { ESCAPED_PREFIX, type PlainNames, createPlainNames } from './plain-names.ts';

export { compareUtf8, successorOfPrefix } from './name-order.ts';
export {
  decodeOrdered,
  encodeOrdered,
  encodeOrderedPrefix,
  encodeOrderedWithin,
  type FittedEncoding,
  isCutEncoding,
  type OrderedLimits,
} from './ordered-encoding.ts';
export { ESCAPED_PREFIX } from './plain-names.ts';

/** Azure takes 254 segments between slashes. */
const DEFAULT_MAX_SEGMENTS = 254;

export type KeyCodecOptions = Pick<
  StoreCapabilities,
  'nameOrder' | 'maxNameLength' | 'maxNameBytes' | 'reservedPrefixes'
> & {
  readonly maxSegments?: number;
};

interface EncodedKey {
  readonly name: string;
  readonly region: 'plain' | 'escaped';
  /** The name holds only a hash of the key: the key itself must stand in the blob's metadata. */
  readonly needsTrueKey: boolean;
}

type DecodedName =
  | { readonly kind: 'key'; readonly key: string; readonly region: 'plain' | 'escaped' }
  /** The key stands in metadata; believe it only if `encode(key).name` is this name. */
  | { readonly kind: 'trueKeyInMetadata' }
  /** No key has this name: a native blob that S3 does not show. */
  | { readonly kind: 'hidden' };

/** What to list natively to see all keys with a prefix. `plain` is absent when no plain key has it. */
interface RegionPrefixes {
  readonly plain?: string;
  /** The plain listing runs across the escaped region: leave its names out, jump with `escapedRegion`. */
  readonly plainMeetsEscaped: boolean;
  /** May bring other keys too when the prefix is long: compare the decoded keys. */
  readonly escaped: string;
}

/** `startAt` of native listings that must not miss a key `>=` some key (in UTF-8 order); earlier names may come. */
interface RegionStarts {
  /** Absent: no plain key can follow. */
  readonly plain?: string;
  readonly escaped: string;
}

export interface KeyCodec {
  /** Boundaries of the escaped region: names `>= start` and `< end`. */
  readonly escapedRegion: { readonly start: string; readonly end: string };
  /** @param key well-formed (valid UTF-8), not empty */
  encode(key: string): EncodedKey;
  decode(name: string): DecodedName;
  /** Whether a name is a key as it stands: `decode` says the same, and makes an object for it. */
  isPlainKey(name: string): boolean;
  isEscapedRegion(name: string): boolean;
  prefixes(prefix: string): RegionPrefixes;
  startAt(key: string): RegionStarts;
  /**
   * Whether a native listing of the escaped region can roll up by this delimiter: its encoding
   * must be itself and must not occur inside other codes. Cut names are rolled up by true key anyway.
   */
  delimiterWorksEscaped(delimiter: string): boolean;
}

/** Names of keys in a user container: themselves, unless they are hazardous; see docs/decisions/0004-key-codec.md. */
export function createKeyCodec(options: KeyCodecOptions): KeyCodec {
  const {
    nameOrder,
    maxNameLength,
    maxNameBytes = Infinity,
    reservedPrefixes = [],
    maxSegments = DEFAULT_MAX_SEGMENTS,
  } = options;
  const plain = createPlainNames({ nameOrder, maxNameLength, maxNameBytes, reservedPrefixes, maxSegments });
  // Escaped names are ASCII: as many bytes as characters.
  const limits: OrderedLimits = {
    maxLength: Math.min(maxNameLength, maxNameBytes) - ESCAPED_PREFIX.length,
    maxSegments: maxSegments - 1,
  };

  const encode = (key: string): EncodedKey => {
    if (!plain.isHazardous(key)) return { name: key, region: 'plain', needsTrueKey: false };
    const { text, cut } = encodeOrderedWithin(key, limits);
    return { name: ESCAPED_PREFIX + text, region: 'escaped', needsTrueKey: cut };
  };

  const decode = (name: string): DecodedName => {
    if (!name.startsWith(ESCAPED_PREFIX)) {
      return plain.isHazardous(name) ? { kind: 'hidden' } : { kind: 'key', key: name, region: 'plain' };
    }
    const encoded = name.slice(ESCAPED_PREFIX.length);
    if (isCutEncoding(encoded)) return { kind: 'trueKeyInMetadata' };
    const key = decodeOrdered(encoded);
    return key !== undefined && encode(key).name === name
      ? { kind: 'key', key, region: 'escaped' }
      : { kind: 'hidden' };
  };

  return {
    escapedRegion: { start: ESCAPED_PREFIX, end: successorOfPrefix(ESCAPED_PREFIX, nameOrder) ?? '' },
    encode,
    decode,
    isPlainKey: (name) => !plain.isHazardous(name), // escaped names are hazardous, too
    isEscapedRegion: (name) => name.startsWith(ESCAPED_PREFIX),
    prefixes: (prefix) => regionPrefixes(prefix, plain, limits),
    startAt: (key) => regionStarts(key, plain, limits),
    delimiterWorksEscaped: (delimiter) => /^[/A-Zg-z:-@\]^_`{|}]$/.test(delimiter),
  };
}

function regionPrefixes(prefix: string, plain: PlainNames, limits: OrderedLimits): RegionPrefixes {
  return {
    ...(!plain.isHazardousStart(prefix) && { plain: prefix }),
    plainMeetsEscaped: ESCAPED_PREFIX.startsWith(prefix),
    escaped: ESCAPED_PREFIX + encodeOrderedPrefix(prefix, limits),
  };
}

function regionStarts(key: string, plain: PlainNames, limits: OrderedLimits): RegionStarts {
  const start = plain.startAt(key);
  return {
    ...(start !== undefined && { plain: start }),
    escaped: ESCAPED_PREFIX + encodeOrderedPrefix(key, limits),
  };
}
