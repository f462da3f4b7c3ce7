import { DIGEST_CHARS } from '../../observe/fingerprint.ts';
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
import type { SharedTexts } from './shared-texts.ts';
import { numberOfWord } from './words.ts';

/** Room for nearly any entry; the few longer ones have a buffer of their own. */
const USUAL_BYTES = 64 * 1024;
/** Of UTF-8, per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;
/** A number with its mark. */
const NUMBER_BYTES = 9;
/** Longest text that is written character by character: from here on calling the encoder is quicker. */
const BY_HAND = 10;
const ASCII = 0x7f;

/** Writes one entry after the other into the same memory: an entry leaves nothing behind for the garbage collector. */
export class EntryWriter implements EntryBytes {
  readonly #usual = Buffer.allocUnsafeSlow(USUAL_BYTES);
  #bytes = this.#usual;
  #at = 0;
  #shared: SharedTexts | undefined;

  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#at;
  }

  /** What the entry may name instead of having it; undefined: it is read without that. */
  get shared(): SharedTexts | undefined {
    return this.#shared;
  }

  /** The entry before is forgotten. */
  start(shared: SharedTexts | undefined): void {
    this.#bytes = this.#usual;
    this.#at = 0;
    this.#shared = shared;
  }

  /** Takes back what was written since. @param length as it was then */
  backTo(length: number): void {
    this.#at = length;
  }

  nothing(): void {
    this.#mark(NOTHING);
  }

  /** What is no UTF-16 is replaced by U+FFFD. */
  text(text: string): void {
    const { length } = text;
    this.#reserve(length * MAX_BYTES_PER_UNIT + 1);
    if (length > BY_HAND || !this.#byHand(text)) this.#at += this.#bytes.write(text, this.#at, 'utf8');
    this.#bytes[this.#at] = TEXT_END;
    this.#at += 1;
  }

  /** A text that is kept once for all entries that have it. */
  repeated(place: number): void {
    this.#mark(REPEATED);
    this.number(place);
  }

  /** An `Authorization` header. @param place of what stands before its signature @param digest of the signature */
  signed(place: number, digest: string): void {
    this.#mark(SIGNED);
    this.number(place);
    this.#reserve(DIGEST_CHARS);
    for (let index = 0; index < DIGEST_CHARS; index += 1) this.#bytes[this.#at + index] = digest.charCodeAt(index);
    this.#at += DIGEST_CHARS;
  }

  /** One of a few words: a byte, as a rule. */
  word(word: string): void {
    const number = numberOfWord(word);
    if (number === undefined) {
      this.#mark(SPELLED);
      this.text(word);
    } else {
      this.#mark(number);
    }
  }

  /** Any number. Whole ones below 2^32 take 1, 3 or 5 bytes. */
  number(value: number): void {
    this.#reserve(NUMBER_BYTES);
    const bytes = this.#bytes;
    const at = this.#at;
    if (value >>> 0 !== value) {
      bytes[at] = EIGHT_BYTES;
      this.#at = bytes.writeDoubleLE(value, at + 1);
    } else if (value < ONE_BYTE) {
      bytes[at] = value;
      this.#at = at + 1;
    } else if (value <= 0xffff) {
      bytes[at] = TWO_BYTES;
      bytes[at + 1] = value & 0xff;
      bytes[at + 2] = value >>> 8;
      this.#at = at + 3;
    } else {
      bytes[at] = FOUR_BYTES;
      this.#at = bytes.writeUInt32LE(value, at + 1);
    }
  }

  #mark(mark: number): void {
    this.#reserve(1);
    this.#bytes[this.#at] = mark;
    this.#at += 1;
  }

  /** @returns false: it is not all ASCII, and nothing was written */
  #byHand(text: string): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > ASCII) return false;
      bytes[at + index] = code;
    }
    this.#at = at + text.length;
    return true;
  }

  #reserve(count: number): void {
    if (this.#at + count > this.#bytes.length) this.#grow(count);
  }

  #grow(count: number): void {
    const bytes = Buffer.allocUnsafeSlow(2 * (this.#at + count));
    this.#bytes.copy(bytes, 0, 0, this.#at);
    this.#bytes = bytes;
  }
}
