import { isAscii } from 'node:buffer';
import { unescapeXml } from './xml-reader.ts';

/** Bytes of which text is made at a time: more, and V8 fetches new memory for it, which costs more than the text. */
const WINDOW = 64 * 1024;
/** Patterns that are kept, and how long their texts may be. */
const MOST_KNOWN = 256;
const LONGEST_KNOWN = 1024;
const MARKS = 0x3c3c3c3c;
const LESS = 0x3c;

/**
 * A document that is searched in its bytes. Text is made of a window of it, one character for each byte, of which
 * values are slices: that copies less, and calls less into Node, than a text for each value or one of the whole.
 */
export class PageText {
  /** Bytes that can be compared, at least. */
  static readonly LEAST = 4;
  readonly length: number;
  /** Looked at four and eight bytes at a time. */
  readonly view: DataView;
  readonly #bytes: Buffer;
  readonly #isAscii: boolean;
  #window = '';
  #hasEntities = false;
  #from = 0;
  #to = 0;

  constructor(given: Uint8Array) {
    const document = withoutMark(given);
    const { buffer, byteOffset, length } = document;
    this.length = length;
    this.view = new DataView(buffer, byteOffset, length);
    this.#bytes = Buffer.from(buffer, byteOffset, length);
    this.#isAscii = isAscii(document);
  }

  /** The bytes between two places, each as one character. */
  latin1(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }

  /** What a piece of `latin1` says. */
  readonly decode = (latin1: string): string =>
    this.#isAscii || !/[\x80-\xff]/.test(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8');

  /** The text between two places, entities resolved. @throws StoreError unexpected */
  between(start: number, end: number): string {
    if (start < this.#from || end > this.#to) {
      this.#from = start;
      this.#to = Math.min(this.length, Math.max(end, start + WINDOW));
      this.#window = this.latin1(this.#from, this.#to);
      // One search in place of one for each value.
      this.#hasEntities = this.#window.includes('&');
    }
    const text = this.decode(this.#window.slice(start - this.#from, end - this.#from));
    return this.#hasEntities ? unescapeXml(text) : text;
  }

  /** Where the next mark (`<`) stands; the length of the document if nowhere. */
  markFrom(from: number): number {
    const { view, length } = this;
    let at = from;
    for (; at + 4 <= length; at += 4) {
      const others = view.getInt32(at, true) ^ MARKS;
      // Not zero if one of the four bytes is: Hacker's Delight, 6-1.
      if (((others - 0x01010101) & ~others & 0x80808080) !== 0) break;
    }
    while (at < length && view.getUint8(at) !== LESS) at += 1;
    return at;
  }

  /** Whether the same bytes stand at two places. @param length `LEAST` at least */
  isSame(at: number, other: number, length: number): boolean {
    const { view } = this;
    const last = length - 4;
    if (Math.max(at, other) + length > this.length) return false;
    for (let i = 0; i < last; i += 4) {
      if (view.getInt32(at + i, true) !== view.getInt32(other + i, true)) return false;
    }
    return view.getInt32(at + last, true) === view.getInt32(other + last, true);
  }
}

/**
 * The service begins every document with a byte order mark: three bytes beyond ASCII, for which alone every value would
 * be decoded.
 */
function withoutMark(document: Uint8Array): Uint8Array {
  const hasMark = document[0] === 0xef && document[1] === 0xbb && document[2] === 0xbf;
  return hasMark ? document.subarray(3) : document;
}

/**
 * A text that may stand in documents. Eight bytes of ASCII are compared as one number: none of them is NaN or zero, so
 * that equal numbers are equal bytes.
 */
export class Pattern {
  static readonly #known = new Map<string, Pattern>();
  readonly length: number;
  readonly #eights: Float64Array;
  readonly #fours: Int32Array;

  /**
   * Pages of one service have the same texts, so that those of the page before are taken.
   * @param text that `isOne`
   */
  static of(text: string): Pattern {
    const known = Pattern.#known;
    const found = known.get(text);
    if (found !== undefined) return found;
    const pattern = new Pattern(text);
    // Names of metadata stand in it, which are others' choice: any number, and up to 8 KiB.
    if (text.length > LONGEST_KNOWN) return pattern;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, pattern);
    return pattern;
  }

  private constructor(text: string) {
    const bytes = Buffer.from(text, 'latin1');
    const eights = bytes.length >> 3;
    this.length = bytes.length;
    this.#eights = Float64Array.from({ length: eights }, (_, at) => bytes.readDoubleLE(8 * at));
    // The rest by fours, of which the last may overlap what is before it.
    const rest = bytes.length & 7;
    const places = rest === 0 ? [] : rest > 4 ? [8 * eights, bytes.length - 4] : [bytes.length - 4];
    this.#fours = Int32Array.from(places, (at) => bytes.readInt32LE(at));
  }

  /** Long enough, and printable ASCII. */
  static isOne(text: string): boolean {
    return text.length >= PageText.LEAST && /^[ -~]+$/.test(text);
  }

  standsIn({ view, length: all }: PageText, at: number): boolean {
    const eights = this.#eights;
    const fours = this.#fours;
    const end = at + this.length;
    if (end > all) return false;
    for (let i = 0; i < eights.length; i += 1) {
      if (view.getFloat64(at + 8 * i, true) !== eights[i]) return false;
    }
    if (fours.length === 0) return true;
    if (fours.length === 2 && view.getInt32(at + 8 * eights.length, true) !== fours[0]) return false;
    return view.getInt32(end - 4, true) === fours[fours.length - 1];
  }
}
