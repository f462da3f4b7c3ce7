import { NamedValues } from '../../observe/named-values.ts';
import { MAX_DEPTH } from './scan.ts';

/** An element as it stood in the document: names without prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Character data, decoded, in order. Of an element with children: only what stands between them. */
  readonly text: string;
}

const SLASH = 0x2f;
const NAME = /^[A-Za-z][A-Za-z0-9]*$/;
/** What the readers of plain text and the general one might take for different things. */
const STRANGE = /\r|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/;
const BLANK = /^[ \t\n]*$/;
const NO_ATTRIBUTES: XmlElement['attributes'] = Object.freeze(new NamedValues());

/** An element of which more may come. */
interface Draft extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

export function hasStrange(text: string): boolean {
  return (text.includes('&') || text.includes('\r')) && STRANGE.test(text);
}

/**
 * A document of elements and text alone, which nearly all lists of clients are made of: read in a tenth of the time
 * that the general parser takes. Undefined for whatever else is in it, and for what is not well-formed: the general
 * parser says the same of what is read here.
 * @throws Error: a character reference that names no character
 */
export function plainTree(document: string): XmlElement | undefined {
  if (!document.startsWith('<') || hasStrange(document)) return undefined;
  const open: Draft[] = [];
  for (let at = 0; at >= 0; ) {
    const end = document.indexOf('>', at);
    const next = document.indexOf('<', at + 1);
    const top = open[open.length - 1];
    if (end < 0) return undefined;
    if (document.charCodeAt(at + 1) !== SLASH) {
      const name = document.slice(at + 1, end);
      if (!NAME.test(name) || open.length > MAX_DEPTH) return undefined;
      const element = { name, attributes: NO_ATTRIBUTES, children: [], text: '' };
      top?.children.push(element);
      open.push(element);
    } else {
      if (top?.name !== document.slice(at + 2, end)) return undefined;
      open.pop();
      if (open.length === 0) return next < 0 && BLANK.test(document.slice(end + 1)) ? top : undefined;
    }
    const holder = open[open.length - 1];
    if (holder !== undefined && next > end + 1) holder.text += decodeEntities(document.slice(end + 1, next));
    at = next;
  }
  return undefined;
}

const HASH = 0x23;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_A = 0x61;
const LOWER_F = 0x66;
const LOWER_X = 0x78;
const TO_LOWER = 0x20;
const LAST_CHARACTER = 0x10ffff;

/** Character data with its entities, the five and numeric ones, resolved. @throws Error for any other */
export function decodeEntities(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end < 0) throw new Error('a stray &');
    if (at > from) pieces.push(text.slice(from, at));
    pieces.push(text.charCodeAt(at + 1) === HASH ? numbered(text, at + 2, end) : named(text.slice(at + 1, end)));
    from = end + 1;
  }
  if (from === 0) return text;
  pieces.push(text.slice(from));
  // Summed up, each reference would keep some 64 bytes: six documents of references then end the process.
  return pieces.join('');
}

function named(name: string): string {
  switch (name) {
    case 'amp':
      return '&';
    case 'lt':
      return '<';
    case 'gt':
      return '>';
    case 'quot':
      return '"';
    case 'apos':
      return "'";
    default:
      throw new Error('a stray &, or an unknown entity');
  }
}

/**
 * The character of a number, which stands between two places of the text. A document may be made of tens of thousands:
 * no text is made of a number on the way. Control characters are taken although XML 1.0 forbids them: keys may hold
 * them, and listings name them so.
 */
function numbered(text: string, start: number, end: number): string {
  const isHex = text.charCodeAt(start) === LOWER_X;
  const first = isHex ? start + 1 : start;
  let code = first < end ? 0 : Infinity;
  for (let at = first; at < end; at += 1) {
    code = code * (isHex ? 16 : 10) + digit(text.charCodeAt(at), isHex);
    if (!(code <= LAST_CHARACTER)) break;
  }
  if (!(code <= LAST_CHARACTER) || (code >= 0xd800 && code <= 0xdfff)) throw new Error('no such character');
  return String.fromCodePoint(code);
}

/** @returns NaN: it is none */
function digit(unit: number, isHex: boolean): number {
  if (unit >= ZERO && unit <= NINE) return unit - ZERO;
  const lower = unit | TO_LOWER;
  return isHex && lower >= LOWER_A && lower <= LOWER_F ? lower - LOWER_A + 10 : NaN;
}
