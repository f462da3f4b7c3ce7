import type { XmlDocument, XmlValue } from './document.ts';
import type { XmlContent, XmlField, XmlShape } from './shape.ts';

export const XML_PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n';
const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const XSI_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';

// What XML itself reserves, and what XML 1.0 cannot hold or (carriage return) would hand over changed.
// eslint-disable-next-line no-control-regex -- the control characters are the point
const NEEDS_ESCAPE = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;
/** The same without the quotation mark, which stands around every ETag. */
// eslint-disable-next-line no-control-regex -- the control characters are the point
const NEEDS_MORE = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]/;
const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for element content and attributes; characters illegal in XML 1.0 become `&#xN;`. */
export function escapeXml(text: string): string {
  if (!NEEDS_MORE.test(text)) return text.includes('"') ? text.replaceAll('"', '&quot;') : text;
  return text.replace(NEEDS_ESCAPE, (char) => NAMED[char] ?? `&#x${char.charCodeAt(0).toString(16).toUpperCase()};`);
}

/** The document without prolog. @throws TypeError when the value does not fit the shape (a fault of the program) */
export function encodeRoot(document: XmlDocument): string {
  const { shape, value } = document;
  return element(shape.root, namespaceOf(shape), shape.content, value);
}

/** Prolog, newline, document; ends exactly at the root's end tag. */
export function encodeXml(document: XmlDocument): string {
  return XML_PROLOG + encodeRoot(document);
}

function namespaceOf(shape: XmlShape): string {
  const namespace = shape.namespace === undefined ? S3_NAMESPACE : shape.namespace;
  return namespace === null ? '' : ` xmlns="${namespace}"`;
}

function element(name: string, attributes: string, content: XmlContent, value: XmlValue): string {
  if (content.kind !== 'struct') return `<${name}${attributes}>${scalar(name, value)}</${name}>`;
  if (typeof value !== 'object' || Array.isArray(value)) throw new TypeError(`${name}: an object is expected`);
  const record = value as Readonly<Record<string, XmlValue>>;
  let open = attributes;
  let children = '';
  for (const field of content.fields) {
    const member = record[field.property ?? field.element];
    if (member === undefined) continue;
    if (field.attribute === true) open += attribute(field, member);
    else children += field.list === undefined ? element(field.element, '', field.content, member) : list(field, member);
  }
  return children === '' ? `<${name}${open}/>` : `<${name}${open}>${children}</${name}>`;
}

function list(field: XmlField, value: XmlValue): string {
  if (!Array.isArray(value)) throw new TypeError(`${field.element}: an array is expected`);
  let items = '';
  for (const item of value as readonly XmlValue[]) {
    items += field.list?.among === undefined ? element(field.element, '', field.content, item) : choice(field, item);
  }
  const wrapper = field.list?.wrapper;
  if (wrapper === undefined) return items;
  return items === '' ? `<${wrapper}/>` : `<${wrapper}>${items}</${wrapper}>`;
}

/** An item that says which of several elements it is. */
function choice(field: XmlField, item: XmlValue): string {
  const [name, value] = typeof item === 'object' && !Array.isArray(item) ? (Object.entries(item)[0] ?? []) : [];
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
