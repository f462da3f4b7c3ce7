import { createHash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';

/** Bytes in pieces that are never copied: composed and rewritten objects share them. */
export class Rope {
  readonly size: number;
  readonly pieces: readonly Buffer[];
  #md5: string | undefined;
  #crc32c: string | undefined;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
    this.size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  static join(ropes: readonly Rope[]): Rope {
    return new Rope(ropes.flatMap((rope) => rope.pieces));
  }

  /** @param end exclusive */
  slice(start: number, end: number): Rope {
    const pieces: Buffer[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const [from, to] = [Math.max(0, start - at), Math.min(piece.length, end - at)];
      if (from < to) pieces.push(piece.subarray(from, to));
      at += piece.length;
      if (at >= end) break;
    }
    return new Rope(pieces);
  }

  bytes(): Buffer {
    return Buffer.concat(this.pieces, this.size);
  }

  /** Base64. */
  get md5(): string {
    if (this.#md5 === undefined) {
      const hash = createHash('md5');
      for (const piece of this.pieces) hash.update(piece);
      this.#md5 = hash.digest('base64');
    }
    return this.#md5;
  }

  /** Base64 of the four bytes, most significant first. */
  get crc32c(): string {
    if (this.#crc32c === undefined) {
      let sum = 0;
      for (const piece of this.pieces) sum = crc32c(piece, sum);
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(sum >>> 0);
      this.#crc32c = bytes.toString('base64');
    }
    return this.#crc32c;
  }
}

export const EMPTY = new Rope([]);
