import { StoreError } from '../../src/store/store-error.ts';

/**
 * Walks through an answer of the service, which is plain elements and text.
 *
 * A general parser takes 55 ms for a page of 1,000 entries, more than all the rest of a listing; this
 * takes four. Declarations, comments and CDATA are refused: the service sends none, and without them there is
 * no entity to expand.
 */
export class XmlReader {
  /** Attributes of the element entered last, as they stand in the tag. */
  attributes = '';
  readonly #pieces: Iterator<string>;
  #xml = '';
  #at = 0;
  /** Element entered last, if it was written as `<a/>`: it has no end tag of its own. */
  #empty = false;
  /** Elements entered and not left; a document that ends within one has been cut off. */
  #depth = 0;

  /** @param pieces of the document, each of which ends behind a tag */
  constructor(pieces: Iterator<string>) {
    this.#pieces = pieces;
  }

  /**
   * Enters the next element inside the current one and gives its name; undefined (and out of the current one) when
   * there is none.
   */
  enter(): string | undefined {
    if (this.#empty) {
      this.#empty = false;
      this.#depth -= 1;
      return undefined;
    }
    for (;;) {
      const start = this.#nextTag();
      if (start < 0 && this.#depth === 0) return undefined;
      const end = start < 0 ? -1 : this.#xml.indexOf('>', start);
      if (end < 0) throw malformed('cut off');
      this.#at = end + 1;
      const mark = this.#xml.charCodeAt(start + 1);
      if (mark === SLASH) {
        this.#depth -= 1;
        return undefined;
      }
      if (mark === BANG) throw malformed('declaration');
      if (mark !== QUESTION) return this.#open(start + 1, end);
    }
  }

  /** The piece of the document in which the tag read last stands, and the place behind it. */
  get here(): { readonly text: string; readonly at: number } {
    return { text: this.#xml, at: this.#at };
  }

  /** Leaves the element entered last, whose end tag somebody else has found. @param at behind it, in the same piece */
  leaveAt(at: number): void {
    this.#at = at;
    this.#depth -= 1;
  }

  /** Text of the element entered last, which holds nothing else; leaves it. White space counts. */
  text(): string {
    this.#depth -= 1;
    if (this.#empty) {
      this.#empty = false;
      return '';
    }
    const start = this.#at;
    const end = this.#xml.indexOf('<', start);
    const close = end < 0 ? -1 : this.#xml.indexOf('>', end);
    if (close < 0) throw malformed('tag without end');
    if (this.#xml.charCodeAt(end + 1) !== SLASH) throw malformed('element where text should be');
    this.#at = close + 1;
    return unescapeXml(this.#xml.slice(start, end));
  }

  /** Leaves the element entered last with all that is in it. */
  skip(): void {
    let depth = 1;
    while (depth > 0) depth += this.enter() === undefined ? -1 : 1;
  }

  /** Where the next tag begins; -1: nowhere in the document. */
  #nextTag(): number {
    for (;;) {
      const start = this.#xml.indexOf('<', this.#at);
      if (start >= 0) return start;
      const next = this.#pieces.next();
      if (next.done === true) return -1;
      this.#xml = next.value;
      this.#at = 0;
    }
  }

  #open(start: number, end: number): string {
    this.#depth += 1;
    this.#empty = this.#xml.charCodeAt(end - 1) === SLASH;
    const tag = this.#xml.slice(start, this.#empty ? end - 1 : end);
    const space = tag.indexOf(' ');
    if (space < 0) {
      this.attributes = '';
      return tag;
    }
    this.attributes = tag.slice(space + 1);
    return tag.slice(0, space);
  }
}

const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** @throws StoreError unexpected */
export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6});|#([0-9]{1,7});|([a-z]+);)?/g,
    (_all, hex?: string, decimal?: string, name?: string) => {
      const known =
        name === undefined
          ? codePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
          : ENTITIES.get(name);
      if (known === undefined) throw malformed('unknown entity');
      return known;
    },
  );
}

function codePoint(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** For an answer that is not the document that it should be. @param what is wrong with it */
export function malformed(what: string): StoreError {
  return new StoreError('unexpected', { cause: new Error(`the answer is not an XML document: ${what}`) });
}
