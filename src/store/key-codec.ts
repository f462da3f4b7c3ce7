import type { StoreCapabilities } from './blob-store.ts';
import { type NameOrder, successorOfPrefix } from './name-order.ts';
import {
  decodeOrdered,
  encodeOrderedPrefix,
  encodeOrderedWithin,
  hasMoreSegments,
  isCutEncoding,
  type OrderedLimits,
} from './ordered-encoding.ts';

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

/** Where the escaped names of a user container live. Sorts behind all other ASCII. */
export const ESCAPED_PREFIX = '~s3~/';

/** Of UTF-8, for one code unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;
/** Azure takes 254 segments between slashes. */
const DEFAULT_MAX_SEGMENTS = 254;

export type KeyCodecOptions = Pick<StoreCapabilities, 'nameOrder' | 'maxNameLength' | 'maxNameBytes' | 'reservedPrefixes'> & {
  readonly maxSegments?: number;
};

export interface EncodedKey {
  readonly name: string;
  readonly region: 'plain' | 'escaped';
  /** The name holds only a hash of the key: the key itself must stand in the blob's metadata. */
  readonly needsTrueKey: boolean;
}

export type DecodedName =
  | { readonly kind: 'key'; readonly key: string; readonly region: 'plain' | 'escaped' }
  /** The key stands in metadata; believe it only if `encode(key).name` is this name. */
  | { readonly kind: 'trueKeyInMetadata' }
  /** No key has this name: a native blob that S3 does not show. */
  | { readonly kind: 'hidden' };

/** What to list natively to see all keys with a prefix. `plain` is absent when no plain key has it. */
export interface RegionPrefixes {
  readonly plain?: string;
  /** The plain listing runs across the escaped region: leave its names out, jump with `escapedRegion`. */
  readonly plainMeetsEscaped: boolean;
  /** May bring other keys too when the prefix is long: compare the decoded keys. */
  readonly escaped: string;
}

/** `startAt` of native listings that must not miss a key `>=` some key (in UTF-8 order); earlier names may come. */
export interface RegionStarts {
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
  isEscapedRegion(name: string): boolean;
  prefixes(prefix: string): RegionPrefixes;
  startAt(key: string): RegionStarts;
  /**
   * Whether a native listing of the escaped region can roll up by this delimiter: its encoding
   * must be itself and must not occur inside other codes. Cut names are rolled up by true key anyway.
   */
  delimiterWorksEscaped(delimiter: string): boolean;
}

/**
 * Code points that a service refuses or takes for something else: control characters, backslash
 * (Azure: a slash), the code points that Azure's naming rules call invalid (private use), and
 * non-characters (they break Azure's XML listings).
 */
const UNSAFE = String.raw`\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\\\ue000-\uf8ff`;
const HAZARDOUS_POINT: Readonly<Record<NameOrder, RegExp>> = {
  utf8: new RegExp(`[${UNSAFE}]`, 'u'),
  // Beyond U+FFFF UTF-16 sorts apart from UTF-8.
  utf16: new RegExp(`[${UNSAFE}\\u{10000}-\\u{10ffff}]`, 'u'),
};
/** The highest code points that plain names can have. */
const LAST_POINT: Readonly<Record<NameOrder, number>> = { utf8: 0x10fffd, utf16: 0xfffd };
/** `.` and `..` are folded by URL parsers; Azure refuses or trims segments that end in a dot. */
const DOT_BEFORE_SLASH = './';

/** Names of keys in a user container: themselves, unless they are hazardous; see docs/decisions/0004-key-codec.md. */
export function createKeyCodec(options: KeyCodecOptions): KeyCodec {
  const { nameOrder, maxNameLength, maxNameBytes = Infinity, reservedPrefixes = [], maxSegments = DEFAULT_MAX_SEGMENTS } = options;
  const hazardousPoint = HAZARDOUS_POINT[nameOrder];
  // Escaped names are ASCII: as many bytes as characters.
  const limits: OrderedLimits = { maxLength: Math.min(maxNameLength, maxNameBytes) - ESCAPED_PREFIX.length, maxSegments: maxSegments - 1 };
  const escapedRegion = { start: ESCAPED_PREFIX, end: successorOfPrefix(ESCAPED_PREFIX, nameOrder) ?? '' };

  /** True when no plain key starts with `text`. */
  const isHazardousStart = (text: string): boolean =>
    hazardousPoint.test(text) ||
    text.includes(DOT_BEFORE_SLASH) ||
    text.startsWith(ESCAPED_PREFIX) ||
    reservedPrefixes.some((reserved) => text.startsWith(reserved)) ||
    text.length > maxNameLength ||
    (text.length * MAX_BYTES_PER_UNIT > maxNameBytes && Buffer.byteLength(text) > maxNameBytes) ||
    hasMoreSegments(text, maxSegments);
  const isHazardous = (key: string): boolean => key.endsWith('.') || isHazardousStart(key);

  const encode = (key: string): EncodedKey => {
    if (!isHazardous(key)) return { name: key, region: 'plain', needsTrueKey: false };
    const { text, cut } = encodeOrderedWithin(key, limits);
    return { name: ESCAPED_PREFIX + text, region: 'escaped', needsTrueKey: cut };
  };

  const decode = (name: string): DecodedName => {
    if (!name.startsWith(ESCAPED_PREFIX)) return isHazardous(name) ? { kind: 'hidden' } : { kind: 'key', key: name, region: 'plain' };
    const encoded = name.slice(ESCAPED_PREFIX.length);
    if (isCutEncoding(encoded)) return { kind: 'trueKeyInMetadata' };
    const key = decodeOrdered(encoded);
    return key !== undefined && encode(key).name === name ? { kind: 'key', key, region: 'escaped' } : { kind: 'hidden' };
  };

  const plainStart = (key: string): string | undefined => {
    if (key.startsWith(ESCAPED_PREFIX)) return escapedRegion.end;
    const at = key.search(hazardousPoint);
    if (at < 0) return key;
    const before = key.slice(0, at);
    const next = nextSafePoint(key.codePointAt(at) ?? 0, LAST_POINT[nameOrder], hazardousPoint);
    return next === undefined ? successorOfPrefix(before, nameOrder) : before + next;
  };

  return {
    escapedRegion,
    encode,
    decode,
    isEscapedRegion: (name) => name.startsWith(ESCAPED_PREFIX),
    prefixes: (prefix) => ({
      ...(!isHazardousStart(prefix) && { plain: prefix }),
      plainMeetsEscaped: ESCAPED_PREFIX.startsWith(prefix),
      escaped: ESCAPED_PREFIX + encodeOrderedPrefix(prefix, limits),
    }),
    startAt: (key) => {
      const plain = plainStart(key);
      return { ...(plain !== undefined && { plain }), escaped: ESCAPED_PREFIX + encodeOrderedPrefix(key, limits) };
    },
    delimiterWorksEscaped: (delimiter) => /^[/A-Zg-z:-@\]^_`{|}]$/.test(delimiter),
  };
}

/** The next higher code point up to `last` that is safe, as a string; absent when there is none. */
function nextSafePoint(point: number, last: number, hazardous: RegExp): string | undefined {
  for (let next = point + 1; next <= last; next += 1) {
    const character = String.fromCodePoint(next);
    if (!hazardous.test(character)) return character;
  }
  return undefined;
}
