import { type XmlDocument, XmlTexts, type XmlValue } from './document.ts';
import type { XmlContent, XmlField, XmlShape } from './shape.ts';
import { Utf8Writer } from './utf8-writer.ts';

export const XML_PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n';
const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const XSI_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';

// What XML itself reserves, and what XML 1.0 cannot hold or (carriage return) would hand over changed.
// oxlint-disable-next-line no-control-regex -- the control characters are the point
const NEEDS_ESCAPE = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;
/** The same without the quotation mark, which stands around every ETag. */
// oxlint-disable-next-line no-control-regex -- the control characters are the point
const NEEDS_MORE = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]/;
const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for element content and attributes; characters illegal in XML 1.0 become `&#xN;`. */
export function escapeXml(text: string): string {
  if (text.length <= SHORT && isHarmless(text)) return text;
  if (!NEEDS_MORE.test(text)) return text.includes('"') ? text.replaceAll('"', '&quot;') : text;
  return text.replace(NEEDS_ESCAPE, (char) => NAMED[char] ?? `&#x${char.charCodeAt(0).toString(16).toUpperCase()};`);
}

/** Most texts are short and stay as they are: seen in less time than a regular expression takes to begin. */
const SHORT = 64;

function isHarmless(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < SPACE || unit > TILDE || unit === QUOTE || unit === AMPERSAND || unit === LESS || unit === GREATER) {
      return false;
    }
  }
  return true;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const LESS = 0x3c;
const GREATER = 0x3e;
const TILDE = 0x7e;

/** The document without prolog. @throws TypeError when the value does not fit the shape (a fault of the program) */
export function encodeRoot(document: XmlDocument): string {
  let text = '';
  writeRoot(document, (piece) => (text += piece));
  return text;
}

/** Prolog, newline, document; ends exactly at the root's end tag. */
export function encodeXml(document: XmlDocument): Buffer {
  const bytes = new Utf8Writer();
  bytes.add(XML_PROLOG);
  writeRoot(document, (piece) => bytes.add(piece));
  return bytes.end();
}

/** An element with all that is in it, for who writes the text of a list (`XmlTexts`). */
export function encodeElement(field: XmlField, value: XmlValue): string {
  return element(field.element, '', field.content, value);
}

/** Elements by their names, in the order in which they are written; undefined ones are left out. */
export interface XmlElements {
  readonly [element: string]: string | number | undefined | XmlElements;
}

/** Elements that no shape describes: of errors, and of STS. @param indent of each line; absent: no line breaks */
export function encodeElements(elements: XmlElements, indent?: string): string {
  const [begin, end] = indent === undefined ? ['', ''] : [indent, '\n'];
  let text = '';
  for (const [name, value] of Object.entries(elements)) {
    if (value === undefined) continue;
    const inner =
      typeof value === 'object'
        ? `${end}${encodeElements(value, indent === undefined ? undefined : `${indent}  `)}${begin}`
        : escapeXml(String(value));
    text += `${begin}<${name}>${inner}</${name}>${end}`;
  }
  return text;
}

/** In pieces, of which none is more than one item of a list in the root. */
function writeRoot({ shape, value }: XmlDocument, write: (piece: string) => void): void {
  const { root, content } = shape;
  if (content.kind !== 'struct' || !isRecord(value)) {
    write(element(root, namespaceOf(shape), content, value));
    return;
  }
  let open = `<${root}${namespaceOf(shape)}${attributesOf(content.fields, value)}`;
  const add = (piece: string): void => {
    write(open === '' ? piece : `${open}>${piece}`);
    open = '';
  };
  for (const field of content.fields) {
    const member = field.attribute === true ? undefined : value[field.property ?? field.element];
    if (member === undefined) continue;
    if (field.list === undefined) add(encodeElement(field, member));
    else if (field.list.wrapper === undefined) for (const item of items(field, member)) add(item);
    else add(list(field, member));
  }
  write(open === '' ? `</${root}>` : `${open}/>`);
}

function namespaceOf(shape: XmlShape): string {
  const namespace = shape.namespace === undefined ? S3_NAMESPACE : shape.namespace;
  return namespace === null ? '' : ` xmlns="${namespace}"`;
}

function element(name: string, more: string, content: XmlContent, value: XmlValue): string {
  if (content.kind !== 'struct') return `<${name}${more}>${scalar(name, value)}</${name}>`;
  if (!isRecord(value)) throw new TypeError(`${name}: an object is expected`);
  const open = more + attributesOf(content.fields, value);
  let children = '';
  for (const field of content.fields) {
    const member = field.attribute === true ? undefined : value[field.property ?? field.element];
    if (member === undefined) continue;
    children += field.list === undefined ? encodeElement(field, member) : list(field, member);
  }
  return children === '' ? `<${name}${open}/>` : `<${name}${open}>${children}</${name}>`;
}

function isRecord(value: XmlValue): value is Readonly<Record<string, XmlValue>> {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof XmlTexts);
}

function attributesOf(fields: readonly XmlField[], value: Readonly<Record<string, XmlValue>>): string {
  let attributes = '';
  for (const field of fields) {
    const member = field.attribute === true ? value[field.property ?? field.element] : undefined;
    if (member !== undefined) attributes += attribute(field, member);
  }
  return attributes;
}

function list(field: XmlField, value: XmlValue): string {
  let all = '';
  for (const item of items(field, value)) all += item;
  const wrapper = field.list?.wrapper;
  if (wrapper === undefined) return all;
  return all === '' ? `<${wrapper}/>` : `<${wrapper}>${all}</${wrapper}>`;
}

function items(field: XmlField, value: XmlValue): Iterable<string> {
  if (value instanceof XmlTexts) return value.items();
  if (!Array.isArray(value)) throw new TypeError(`${field.element}: an array is expected`);
  const all = value as readonly XmlValue[];
  const write = field.list?.among === undefined ? encodeElement : choice;
  return all.map((item) => write(field, item));
}

/** An item that says which of several elements it is. */
function choice(field: XmlField, item: XmlValue): string {
  const [name, value] = isRecord(item) ? (Object.entries(item)[0] ?? []) : [];
  const content = name === field.element ? field.content : field.list?.among?.[name ?? ''];
  if (name === undefined || content === undefined) {
    throw new TypeError(`${field.element}: an object that names its element is expected`);
  }
  return element(name, '', content, value);
}

function attribute(field: XmlField, value: XmlValue): string {
  const declaration = field.element.startsWith('xsi:') ? ` xmlns:xsi="${XSI_NAMESPACE}"` : '';
  return `${declaration} ${field.element}="${scalar(field.element, value)}"`;
}

function scalar(name: string, value: XmlValue): string {
  if (typeof value === 'string') return escapeXml(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${name}: text is expected`);
}
