import { createHash } from 'node:crypto';

/**
 * Text as ASCII that sorts by any rule as the UTF-8 bytes of the text do, and that no service
 * takes for anything but a name. Each byte has a code of its own, and no code begins another:
 *
 * | byte | code |
 * |---|---|
 * | 00 to 2e | `-` and two hex digits |
 * | `/` | itself, so that listings with the delimiter `/` work |
 * | 30 to 5a, `0` to `Z` | itself |
 * | `[`, `\` | `[0`, `[1` |
 * | 5d to 7d, `]` to `}` | itself |
 * | 7e to ff | `~` and two hex digits |
 *
 * Hence enc(a + b) = enc(a) + enc(b). `!` is below everything emitted: what follows it stands
 * right behind the key itself and before every longer key.
 */
const CODES: readonly string[] = Array.from({ length: 256 }, (_, byte) => codeOf(byte));

/** Separates a cut encoding from the hash of the whole key. */
const CUT_MARK = '!';
const HASH_DIGITS = 32;
const TAIL = CUT_MARK.length + HASH_DIGITS;
const CODE = /-[0-9a-f]{2}|~[0-9a-f]{2}|\[[01]|[/0-Z\]-}]/y;
const CUT_ENCODING = /^[^!]*![0-9a-f]{32}$/;

export interface OrderedLimits {
  /** Longest encoding, in characters. */
  readonly maxLength: number;
  /** Most segments between slashes. */
  readonly maxSegments?: number;
}

export interface FittedEncoding {
  readonly text: string;
  /** The key cannot be read from the text: only a hash of it is there. */
  readonly cut: boolean;
}

function codeOf(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  if (byte < 0x2f) return `-${hex}`;
  if (byte === 0x5b) return '[0';
  if (byte === 0x5c) return '[1';
  return byte < 0x7e ? String.fromCharCode(byte) : `~${hex}`;
}

export function encodeOrdered(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) encoded += CODES[byte] ?? '';
  return encoded;
}

/** @returns undefined unless `encoded` is exactly what `encodeOrdered` makes of some text. */
export function decodeOrdered(encoded: string): string | undefined {
  const bytes: number[] = [];
  CODE.lastIndex = 0;
  while (CODE.lastIndex < encoded.length) {
    const byte = byteOf(CODE.exec(encoded)?.[0]);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  const text = Buffer.from(bytes).toString('utf8');
  return encodeOrdered(text) === encoded ? text : undefined;
}

function byteOf(code: string | undefined): number | undefined {
  if (code === undefined) return undefined;
  if (code.length === 1) return code.charCodeAt(0);
  return code.length === 2 ? 0x5b + Number(code[1]) : Number.parseInt(code.slice(1), 16);
}

/**
 * `encodeOrdered`, kept within limits: an encoding that is too long, or has too many segments,
 * is cut and closed with `!` and 32 hex digits of the key's SHA-256. Keys that share the cut sort
 * by hash among each other; against all other keys the order holds.
 */
export function encodeOrderedWithin(text: string, limits: OrderedLimits): FittedEncoding {
  const encoded = encodeOrdered(text);
  const { maxLength, maxSegments = Infinity } = limits;
  const segments = hasMoreSegments(encoded, maxSegments);
  if (encoded.length <= maxLength && !segments) return { text: encoded, cut: false };
  const end = Math.min(maxLength - TAIL, segments ? lastSegmentStart(encoded, maxSegments) : Infinity);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
  return { text: `${encoded.slice(0, end)}${CUT_MARK}${hash}`, cut: true };
}

/**
 * With what the encodings of all keys that start with `prefix` begin. Without limits, only they
 * do; with limits, a long prefix is shortened to where cuts fall, and others may begin so too.
 */
export function encodeOrderedPrefix(prefix: string, limits?: OrderedLimits): string {
  const encoded = encodeOrdered(prefix);
  if (limits === undefined) return encoded;
  const { maxLength, maxSegments = Infinity } = limits;
  return encoded.slice(0, Math.min(maxLength - TAIL, lastSegmentStart(encoded, maxSegments)));
}

/** True for the form that `encodeOrderedWithin` gives to keys that it had to cut. */
export function isCutEncoding(text: string): boolean {
  return CUT_ENCODING.test(text);
}

/** True when slashes divide `text` into more than `most` segments. */
export function hasMoreSegments(text: string, most: number): boolean {
  if (text.length < most) return false;
  let slash = -1;
  for (let count = 0; count < most; count += 1) {
    slash = text.indexOf('/', slash + 1);
    if (slash < 0) return false;
  }
  return true;
}

/**
 * Where the last allowed segment begins, if the encoding gets that far; else Infinity.
 * The cut falls behind a slash, because the mark sorts below the characters that may stand for one.
 */
function lastSegmentStart(encoded: string, maxSegments: number): number {
  let start = 0;
  for (let count = 1; count < maxSegments; count += 1) {
    start = encoded.indexOf('/', start) + 1;
    if (start === 0) return Infinity;
  }
  return start;
}
