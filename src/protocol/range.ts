/** A single byte range of a `Range` header; `suffix` counts from the end. */
export type RangeRequest =
  | { readonly kind: 'from'; readonly first: number; readonly last?: number }
  | { readonly kind: 'suffix'; readonly length: number };

const SINGLE = /^bytes=(\d*)-(\d*)$/;

/**
 * Only one `bytes` range is honoured; anything else (other units, several ranges, `a > b`) is
 * ignored as if there were no header (RFC 9110 14.2, and what S3 does).
 */
export function parseRange(header: string | undefined): RangeRequest | undefined {
  const match = header === undefined ? null : SINGLE.exec(header.trim());
  if (match === null) return undefined;
  const [, a = '', b = ''] = match;
  if (a === '') return b === '' ? undefined : { kind: 'suffix', length: offset(b) };
  const first = offset(a);
  if (b === '') return { kind: 'from', first };
  const last = offset(b);
  return first > last ? undefined : { kind: 'from', first, last };
}

/**
 * A larger number would lose digits, and be written as `1e+21` in a call to a backend, which reads another one. No
 * object is that long.
 */
function offset(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

/**
 * Whether a range selects the whole of an empty object. RFC 9110 14.1.2: a suffix that is longer than what there is
 * selects all of it; S3 answers it with 200 here, because no Content-Range can say so.
 */
export function isWholeOfNothing(range: RangeRequest, size: number): boolean {
  return range.kind === 'suffix' && range.length > 0 && size === 0;
}

/** First and last byte, inclusive, clipped to the size; undefined when the range starts at or beyond the end. */
export function resolveRange(range: RangeRequest, size: number): { first: number; last: number } | undefined {
  if (range.kind === 'suffix') {
    return range.length === 0 || size === 0 ? undefined : { first: Math.max(0, size - range.length), last: size - 1 };
  }
  if (range.first >= size) return undefined;
  return { first: range.first, last: Math.min(range.last ?? size - 1, size - 1) };
}
