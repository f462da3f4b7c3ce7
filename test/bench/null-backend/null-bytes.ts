const PIECE = 1024 * 1024;
const FILL = Buffer.alloc(PIECE, 'null backend ');

/**
 * Bytes of every large object from `first` on: the same mebibyte over and over. Who writes these bytes reads what he
 * wrote, whatever the backend has kept.
 */
export function filledFrom(first: number, length: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = first % PIECE, left = length; left > 0; at = 0) {
    const part = at === 0 && left >= PIECE ? FILL : FILL.subarray(at, Math.min(PIECE, at + left));
    parts.push(part);
    left -= part.length;
  }
  return parts;
}
