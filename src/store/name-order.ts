import type { StoreCapabilities } from './blob-store.ts';

export type NameOrder = StoreCapabilities['nameOrder'];

const MAX_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/**
 * Order of two well-formed strings by their UTF-8 bytes, which is the order of S3 listings.
 * Works on code units: they disagree with UTF-8 only in that surrogates (which stand for the
 * highest code points) lie below U+E000 to U+FFFF.
 *
 * @returns negative, zero or positive, as for `Array.sort`.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

function surrogatesLast(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x0800;
}

/** Order of two strings by UTF-16 code units: what JavaScript's own operators do. */
export function compareUtf16(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function nameComparator(order: NameOrder): (a: string, b: string) => number {
  return order === 'utf8' ? compareUtf8 : compareUtf16;
}

/**
 * The smallest well-formed string greater than every string that starts with `prefix`, in the
 * given order; absent when there is none (an empty prefix, or one of only the last characters).
 */
export function successorOfPrefix(prefix: string, order: NameOrder = 'utf8'): string | undefined {
  const points = Array.from(prefix);
  while (points.length > 0) {
    const next = nextCodePoint(points.pop()?.codePointAt(0) ?? 0, order);
    if (next !== undefined) return points.join('') + String.fromCodePoint(next);
  }
  return undefined;
}

function nextCodePoint(point: number, order: NameOrder): number | undefined {
  if (order === 'utf16') {
    if (point === FIRST_SURROGATE - 1) return 0x10000;
    if (point === MAX_CODE_POINT) return AFTER_SURROGATES;
    return point === 0xffff ? undefined : point + 1;
  }
  if (point === FIRST_SURROGATE - 1) return AFTER_SURROGATES;
  return point === MAX_CODE_POINT ? undefined : point + 1;
}
