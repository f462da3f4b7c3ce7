import { BufferPool } from '../../streams/buffer-pool.ts';

/** Characters that are gathered before they become bytes. */
const PIECE = 8 * 1024;
/** Bytes that a character of UTF-16 takes at most. */
const WIDEST = 3;
/** A page of a thousand objects has 210 to 400 KB. */
const LONG = 512 * 1024;

/** For documents of answers: who has sent one says so when the kernel has its bytes. */
export const xmlBuffers = new BufferPool(LONG, 4);

/** Makes bytes of a text that comes in pieces. One long text would be put together first, and then copied again. */
export class Utf8Writer {
  #bytes: Buffer | undefined;
  #length = 0;
  #waiting = '';

  add(piece: string): void {
    this.#waiting += piece;
    if (this.#waiting.length >= PIECE) this.#write();
  }

  /** All that was added. Who has sent it may give its memory back (`xmlBuffers`). */
  end(): Buffer {
    if (this.#bytes === undefined) return Buffer.from(this.#waiting);
    return this.#write().subarray(0, this.#length);
  }

  #write(): Buffer {
    const room = this.#length + this.#waiting.length * WIDEST;
    let bytes = (this.#bytes ??= xmlBuffers.lend());
    if (room > bytes.length) {
      bytes = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, room));
      this.#bytes.copy(bytes, 0, 0, this.#length);
      xmlBuffers.giveBack(this.#bytes);
      this.#bytes = bytes;
    }
    this.#length += bytes.write(this.#waiting, this.#length);
    this.#waiting = '';
    return bytes;
  }
}
