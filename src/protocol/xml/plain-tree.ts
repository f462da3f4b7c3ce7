import { NamedValues } from '../../observe/named-values.ts';
import { decodeReferences } from './references.ts';
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

/**
 * The quick twin of `parseAnyElement` (CONTRIBUTING.md, "Twins"): a document of elements and text alone, as nearly all
 * clients send, takes a tenth of the time. Without it a Complete of 1,000 parts costs a third more. Undefined for
 * whatever else is in the document, and for what is not well-formed. The general parser says the same of what is read
 * here.
 * @throws Error: a character reference that names no character
 */
export function plainTree(document: string): XmlElement | undefined {
  if (!document.startsWith('<') || STRANGE.test(document)) return undefined;
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
    if (holder !== undefined && next > end + 1) holder.text += decodeReferences(document.slice(end + 1, next));
    at = next;
  }
  return undefined;
}
