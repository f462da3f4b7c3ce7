import { isAscii } from 'node:buffer';

/*
 * A first look at a document, over its bytes, before any text or object is made of it: where markup begins and ends,
 * how much there is of it, and where the document may be cut into pieces. It says no to what no request holds (DTDs,
 * hundreds of attributes, text without end) in time linear in the bytes, and leaves to the parser what is well-formed.
 */

/** What a document may hold. Larger ones are no XML of S3's. */
export interface XmlLimits {
  readonly bytes: number;
  /** Elements, comments and processing instructions together; as many attributes may stand in them. */
  readonly elements: number;
}

export const MAX_DEPTH = 16;
const MAX_ATTRIBUTES = 16;
/** One tag with all its attributes: namespaces, and the type of a grantee. */
const MAX_TAG_BYTES = 4096;
/**
 * What stands between two tags, a comment, a CDATA section: a key of 1,024 bytes, each written as a character
 * reference, stays below.
 */
const MAX_RUN_BYTES = 16 * 1024;

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const EQUALS = 0x3d;

/** Where the scan stands after a piece of markup. */
export class XmlScan {
  readonly #bytes: Buffer;
  readonly #limits: XmlLimits;
  #marks = 0;
  #attributes = 0;
  /** Behind the last markup. */
  at = 0;
  /** Elements open there. */
  depth = 0;

  /** @throws Error: larger than the limits say */
  constructor(bytes: Buffer, limits: XmlLimits) {
    if (bytes.length > limits.bytes) throw new Error('the document is too large');
    requireEncoding(bytes);
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** To the end of the next markup; false when none is left. @throws Error: something that no request may hold */
  next(): boolean {
    const start = this.#bytes.indexOf(LESS, this.at);
    requireRun((start < 0 ? this.#bytes.length : start) - this.at);
    if (start < 0) return false;
    this.#marks += 1;
    if (this.#marks > 2 * this.#limits.elements) throw new Error('too many elements');
    const mark = this.#bytes[start + 1];
    if (mark === EXCLAMATION) this.at = this.#endOfDeclaration(start);
    else if (mark === QUESTION) this.at = this.#endOfInstruction(start);
    else this.at = this.#endOfTag(start, mark === SLASH);
    return true;
  }

  #endOfDeclaration(start: number): number {
    if (this.#bytes.toString('latin1', start, start + 4) === '<!--') return this.#endOf('-->', start + 4);
    if (this.#bytes.toString('latin1', start, start + 9) === '<![CDATA[') return this.#endOf(']]>', start + 9);
    throw new Error('a DTD is not allowed');
  }

  #endOf(mark: string, from: number): number {
    const found = this.#bytes.indexOf(mark, from);
    if (found < 0) throw new Error(`${mark} is missing`);
    requireRun(found - from);
    return found + mark.length;
  }

  /**
   * A quote that is open at the end of an instruction means nothing in XML. The parser goes on to the next quote, and
   * would lose all that stands between.
   */
  #endOfInstruction(start: number): number {
    const end = this.#endOf('?>', start + 2);
    let quote = 0;
    for (let at = start + 2; at < end; at += 1) {
      const byte = this.#bytes[at];
      if (quote !== 0) {
        if (byte === quote) quote = 0;
      } else if (byte === QUOTE || byte === APOSTROPHE) {
        quote = byte;
      }
    }
    if (quote !== 0) throw new Error('a quote is open at the end of an instruction');
    return end;
  }

  #endOfTag(start: number, closing: boolean): number {
    const bytes = this.#bytes;
    let attributes = 0;
    let quote = 0;
    for (let at = start + 1; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (at - start > MAX_TAG_BYTES) throw new Error('a tag is too long');
      if (quote !== 0) {
        if (byte === quote) quote = 0;
      } else if (byte === QUOTE || byte === APOSTROPHE) {
        quote = byte;
      } else if (byte === EQUALS) {
        attributes += 1;
      } else if (byte === LESS) {
        throw new Error('a tag within a tag');
      } else if (byte === GREATER) {
        this.#attributes += attributes;
        if (attributes > MAX_ATTRIBUTES || this.#attributes > this.#limits.elements) {
          throw new Error('too many attributes');
        }
        this.#nest(closing ? -1 : bytes[at - 1] === SLASH ? 0 : 1);
        return at + 1;
      }
    }
    throw new Error('a tag has no end');
  }

  #nest(by: number): void {
    this.depth += by;
    if (this.depth < 0) throw new Error('a tag closes nothing');
    if (this.depth > MAX_DEPTH) throw new Error('nested too deeply');
  }
}

const DECLARED = /^(?:\xef\xbb\xbf)?<\?xml\s[^>?]*?\bencoding\s*=\s*["']([^"']*)/;
const DECLARATION_BYTES = 256;
const KNOWN = /^(?:utf-?8|us-ascii|ascii)$/i;

/** Bytes that mean the same in every encoding are taken, whatever is declared: read as UTF-8, others are other keys. */
function requireEncoding(bytes: Buffer): void {
  const encoding = DECLARED.exec(bytes.toString('latin1', 0, DECLARATION_BYTES))?.[1];
  if (encoding === undefined || KNOWN.test(encoding) || isAscii(bytes)) return;
  throw new Error('the encoding is not UTF-8');
}

function requireRun(bytes: number): void {
  if (bytes > MAX_RUN_BYTES) throw new Error('a text is too long');
}
