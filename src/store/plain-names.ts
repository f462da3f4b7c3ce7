import type { StoreCapabilities } from './blob-store.ts';
import { type NameOrder, successorOfPrefix } from './name-order.ts';
import { hasMoreSegments } from './ordered-encoding.ts';

/** Where the escaped names of a user container live. Sorts behind all other ASCII. */
export const ESCAPED_PREFIX = '~s3~/';

/** Of UTF-8, for one code unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

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

/** What a service says of its names. */
type NameLimits = Required<
  Pick<StoreCapabilities, 'nameOrder' | 'maxNameLength' | 'maxNameBytes' | 'reservedPrefixes'>
> & {
  readonly maxSegments: number;
};

/** Which keys can be names as they are. */
export interface PlainNames {
  /** True when the key needs an escaped name. */
  isHazardous(key: string): boolean;
  /** True when no plain key starts with `text`. */
  isHazardousStart(text: string): boolean;
  /**
   * A name that no plain key `>= key` (in UTF-8 order) is below, no longer than names are: Azure refuses what is out of
   * range (`OutOfRangeInput`). Absent: no plain key can follow.
   */
  startAt(key: string): string | undefined;
}

export function createPlainNames(limits: NameLimits): PlainNames {
  const { nameOrder, maxNameLength, maxNameBytes, reservedPrefixes, maxSegments } = limits;
  const hazardousPoint = HAZARDOUS_POINT[nameOrder];

  const isHazardousStart = (text: string): boolean =>
    (!isHarmless(text) && (hazardousPoint.test(text) || text.includes(DOT_BEFORE_SLASH))) ||
    text.startsWith(ESCAPED_PREFIX) ||
    reservedPrefixes.some((reserved) => text.startsWith(reserved)) ||
    text.length > maxNameLength ||
    (text.length * MAX_BYTES_PER_UNIT > maxNameBytes && Buffer.byteLength(text) > maxNameBytes) ||
    hasMoreSegments(text, maxSegments);

  return {
    isHazardousStart,
    isHazardous: (key) => key.endsWith('.') || isHazardousStart(key),
    startAt(key) {
      if (key.startsWith(ESCAPED_PREFIX)) return successorOfPrefix(ESCAPED_PREFIX, nameOrder) ?? '';
      const start = cutToFit(key, limits);
      const at = start.search(hazardousPoint);
      if (at < 0) return start;
      const before = start.slice(0, at);
      const next = nextSafePoint(start.codePointAt(at) ?? 0, LAST_POINT[nameOrder], hazardousPoint);
      return next === undefined ? successorOfPrefix(before, nameOrder) : before + next;
    },
  };
}

/** As many of its first characters as a name can have. */
function cutToFit(
  text: string,
  { maxNameLength, maxNameBytes }: Pick<NameLimits, 'maxNameLength' | 'maxNameBytes'>,
): string {
  if (text.length <= maxNameLength && text.length * MAX_BYTES_PER_UNIT <= maxNameBytes) return text;
  let [length, bytes] = [0, 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (length + character.length > maxNameLength || bytes > maxNameBytes) break;
    length += character.length;
  }
  return text.slice(0, length);
}

/** Printable ASCII without a backslash and without a dot before a slash: what nearly all names are. */
function isHarmless(text: string): boolean {
  let before = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < SPACE || unit > TILDE || unit === BACKSLASH || (unit === SLASH && before === DOT)) return false;
    before = unit;
  }
  return true;
}

const SPACE = 0x20;
const DOT = 0x2e;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

/** The next higher code point up to `last` that is safe, as a string; absent when there is none. */
function nextSafePoint(point: number, last: number, hazardous: RegExp): string | undefined {
  for (let next = point + 1; next <= last; next += 1) {
    const character = String.fromCodePoint(next);
    if (!hazardous.test(character)) return character;
  }
  return undefined;
}
