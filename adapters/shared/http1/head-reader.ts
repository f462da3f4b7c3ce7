import { MAX_HEAD, MalformedResponse } from './response-head.ts';

const TERMINATOR = Buffer.from('\r\n\r\n');
const BEGINNING = Buffer.from('HTTP/1.');

/** The text of a head that is complete. */
interface HeadText {
  readonly text: string;
  /** Where in the bytes given last the head ended. */
  readonly end: number;
}

/** Gathers the head of an answer, however it is cut. Mostly it comes in one piece, and nothing is copied. */
export class HeadReader {
  #kept: Buffer | undefined;
  #length = 0;

  /** Undefined: more is needed. @throws MalformedResponse when this is no head, or one that is too long */
  push(bytes: Buffer): HeadText | undefined {
    if (this.#length === 0) {
      const at = bytes.indexOf(TERMINATOR);
      if (at >= 0 && at <= MAX_HEAD) return { text: bytes.toString('latin1', 0, at), end: at + TERMINATOR.length };
    }
    return this.#gather(bytes);
  }

  #gather(bytes: Buffer): HeadText | undefined {
    const kept = (this.#kept ??= Buffer.allocUnsafe(MAX_HEAD + TERMINATOR.length));
    const before = this.#length;
    const copied = bytes.copy(kept, before);
    this.#length = before + copied;
    const soFar = kept.subarray(0, this.#length);
    const beginning = Math.min(this.#length, BEGINNING.length);
    if (soFar.compare(BEGINNING, 0, beginning, 0, beginning) !== 0) throw new MalformedResponse('status line');
    const at = soFar.indexOf(TERMINATOR, Math.max(0, before - TERMINATOR.length + 1));
    if (at < 0) {
      if (this.#length >= kept.length) throw new MalformedResponse('head too long');
      return undefined;
    }
    this.#length = 0;
    this.#kept = undefined;
    return { text: soFar.toString('latin1', 0, at), end: at + TERMINATOR.length - before };
  }
}
