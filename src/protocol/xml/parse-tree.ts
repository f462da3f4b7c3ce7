import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { MAX_DEPTH, XmlScan, type XmlLimits } from './scan.ts';
import { type XmlElement, plainTree } from './plain-tree.ts';
import { decodeReferences } from './references.ts';
import { NamedValues } from '../../observe/named-values.ts';
import { isPlain } from '../../observe/plain.ts';

/** How much is parsed at a time, where the document may be cut: that takes a few milliseconds. */
const PIECE_BYTES = 16 * 1024;
const PIECE_MARKS = 512;
/** Longest single item of a list that is parsed in pieces. */
const MAX_ITEM_BYTES = 64 * 1024;
const ATTRIBUTES = ':@';
const TEXT = '#text';
const CDATA = '#cdata';
const COMMENT = '#comment';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // Entities are decoded here: the five and numeric ones, without the library's limit on their number.
  processEntities: false,
  textNodeName: TEXT,
  cdataPropName: CDATA,
  // Texts before and behind a comment stay two, or a reference could begin in one and end in the other.
  commentPropName: COMMENT,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
});

type RawNode = Readonly<Record<string, unknown>>;

/**
 * The whole document at once.
 * @throws Error for anything that is not one well-formed element without DTD, within the limits
 */
export function parseTree(bytes: Uint8Array, limits: XmlLimits): XmlElement {
  const scan = new XmlScan(asBuffer(bytes), limits);
  while (scan.next());
  return parseElement(decodeUtf8(bytes));
}

/**
 * The document in pieces: the text of what the root holds, some children at a time. At last the root without them is
 * returned. Whoever takes them may pause in between. A document that turns out to be broken throws where that is seen,
 * or where the piece is parsed: nothing may be done before the end.
 * @throws Error as `parseTree`
 */
export function* cutPieces(bytes: Uint8Array, limits: XmlLimits): Generator<string, XmlElement> {
  const buffer = asBuffer(bytes);
  const scan = new XmlScan(buffer, limits);
  while (scan.depth === 0 && scan.next()) requireShort(scan.at);
  const head = scan.at;
  let tail = head;
  for (let start = head, marks = 0; scan.depth > 0; ) {
    const before = scan.at;
    if (!scan.next()) break;
    requireShort(scan.at - start);
    marks += 1;
    const ends = scan.depth === 0;
    if (ends) tail = buffer.indexOf('<', before);
    if (ends || (scan.depth === 1 && (scan.at - start >= PIECE_BYTES || marks >= PIECE_MARKS))) {
      yield decodeUtf8(buffer.subarray(start, ends ? tail : scan.at));
      start = scan.at;
      marks = 0;
    }
  }
  while (scan.next()) requireShort(scan.at - tail);
  return parseElement(decodeUtf8(buffer.subarray(0, head)) + decodeUtf8(buffer.subarray(tail)));
}

/** Such a piece, in an element of any name. @throws Error as `parseTree` */
export function parsePiece(text: string): XmlElement {
  return parseElement(`<piece>${text}</piece>`);
}

function requireShort(bytes: number): void {
  if (bytes > MAX_ITEM_BYTES) throw new Error('an item is too long');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function parseElement(text: string): XmlElement {
  return (isPlain ? undefined : plainTree(text)) ?? parseAnyElement(text);
}

/** The general parser, for all that XML may hold. */
export function parseAnyElement(text: string): XmlElement {
  // References are looked at where they are decoded. Here each of them would cost more than all the rest of a text.
  // oxlint-disable-next-line typescript/no-deprecated -- its successor is a package with six more below it
  const verdict = XMLValidator.validate(text.replaceAll('&', '+'));
  if (verdict !== true) throw new Error(verdict.err.msg);
  const roots = toElements(parser.parse(text) as readonly RawNode[], 0);
  const root = roots.elements[0];
  if (root === undefined || roots.elements.length > 1 || roots.text.trim() !== '') {
    throw new Error('one root element is expected');
  }
  return root;
}

function toElements(nodes: readonly RawNode[], depth: number): { elements: XmlElement[]; text: string } {
  if (depth > MAX_DEPTH) throw new Error('nested too deeply');
  const elements: XmlElement[] = [];
  let text = '';
  for (const node of nodes) {
    for (const name of Object.keys(node)) {
      if (name === ATTRIBUTES || name === COMMENT) continue;
      if (name === TEXT) text += decodeReferences(String(node[TEXT]));
      else if (name === CDATA) text += cdataText(node[CDATA]);
      else elements.push(toElement(name, node, depth));
    }
  }
  return { elements, text };
}

function toElement(name: string, node: RawNode, depth: number): XmlElement {
  const inner = toElements(node[name] as readonly RawNode[], depth + 1);
  return {
    name: name.slice(name.indexOf(':') + 1),
    attributes: toAttributes(node[ATTRIBUTES] as Readonly<Record<string, unknown>> | undefined),
    children: inner.elements,
    text: inner.text,
  };
}

function toAttributes(raw: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  const attributes = new NamedValues();
  for (const name of Object.keys(raw ?? {})) attributes[name] = decodeReferences(String(raw?.[name]));
  return attributes;
}

function cdataText(children: unknown): string {
  return (children as readonly Readonly<Record<string, string>>[]).map((child) => child[TEXT] ?? '').join('');
}
