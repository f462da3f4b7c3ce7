import { DIGEST_CHARS } from '../../observe/fingerprint.ts';
import { signatureMark } from '../../observe/redact-authorization.ts';
import {
  EIGHT_BYTES,
  type EntryBytes,
  FOUR_BYTES,
  NOTHING,
  ONE_BYTE,
  REPEATED,
  SIGNED,
  SPELLED,
  TEXT_END,
  TWO_BYTES,
} from './entry-marks.ts';
import { wordOfNumber } from './words.ts';

/** What stands at a place that `RepeatedTexts` gave. */
export type TextAt = (place: number) => string | undefined;

/** Reads the values of an entry, one after the other, as `EntryWriter` wrote them. Undefined: there is none. */
export class EntryReader {
  readonly #entry: EntryBytes;
  readonly #textAt: TextAt;
  #at = 0;

  constructor(entry: EntryBytes, textAt: TextAt) {
    this.#entry = entry;
    this.#textAt = textAt;
  }

  text(): string | undefined {
    const mark = this.#peek();
    if (mark < SIGNED || mark === TEXT_END) return this.#utf8();
    this.#at += 1;
    if (mark === NOTHING) return undefined;
    const repeated = this.#textAt(this.number() ?? 0) ?? '';
    return mark === REPEATED ? repeated : repeated + this.#signature();
  }

  word(): string | undefined {
    const mark = this.#peek();
    this.#at += 1;
    if (mark === NOTHING) return undefined;
    return mark === SPELLED ? this.#utf8() : wordOfNumber(mark);
  }

  number(): number | undefined {
    const { bytes } = this.#entry;
    const mark = this.#peek();
    const at = this.#at + 1;
    switch (mark) {
      case NOTHING:
        this.#at = at;
        return undefined;
      case TWO_BYTES:
        this.#at = at + 2;
        return bytes.readUInt16LE(at);
      case FOUR_BYTES:
        this.#at = at + 4;
        return bytes.readUInt32LE(at);
      case EIGHT_BYTES:
        this.#at = at + 8;
        return bytes.readDoubleLE(at);
      default:
        this.#at = at;
        return mark < ONE_BYTE ? mark : undefined;
    }
  }

  /** The next byte. Behind the end there is nothing. */
  #peek(): number {
    return this.#at < this.#entry.length ? (this.#entry.bytes[this.#at] ?? NOTHING) : NOTHING;
  }

  #signature(): string {
    const start = this.#at;
    this.#at += DIGEST_CHARS;
    return signatureMark(this.#entry.bytes.toString('latin1', start, this.#at));
  }

  #utf8(): string {
    const { bytes, length } = this.#entry;
    const found = bytes.indexOf(TEXT_END, this.#at);
    const end = found < 0 ? length : found;
    const text = bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }
}
