import type { ByteRange } from '../../src/store/blob-store.ts';

/** Ranges of at most `most` bytes that together are `range`. */
export function splitRange(range: Required<ByteRange>, most: number): Required<ByteRange>[] {
  const pieces: Required<ByteRange>[] = [];
  for (let first = range.first; first <= range.last; first += most) {
    pieces.push({ first, last: Math.min(range.last, first + most - 1) });
  }
  return pieces;
}
