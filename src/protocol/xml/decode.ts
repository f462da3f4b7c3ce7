import { S3Error } from '../../errors/s3-error.ts';
import type { XmlElement } from './plain-tree.ts';
import { cutPieces, parsePiece, parseTree } from './parse-tree.ts';
import type { XmlLimits } from './scan.ts';
import type { XmlContent, XmlField, XmlShape } from './shape.ts';
import { turn } from '../../streams/turns.ts';

/** Of everything but long lists: 50 tags of the largest size, every character escaped, and 100 grants stay below. */
export const SMALL_DOCUMENT: XmlLimits = { bytes: 256 * 1024, elements: 2000 };

/** What a document of shape `S` decodes to; exact when the shape was declared `as const satisfies XmlShape`. */
export type Decoded<S extends XmlShape> = DecodedContent<S['content']>;

export type DecodedContent<C extends XmlContent> = C extends { readonly kind: 'text' }
  ? string
  : C extends { readonly kind: 'number' }
    ? number
    : C extends { readonly kind: 'boolean' }
      ? boolean
      : C extends { readonly kind: 'struct'; readonly fields: infer F extends readonly XmlField[] }
        ? { readonly [Field in F[number] as PropertyName<Field>]: DecodedField<Field> }
        : never;

type PropertyName<F extends XmlField> = F extends { readonly property: infer P extends string } ? P : F['element'];

type DecodedField<F extends XmlField> = F extends { readonly list: { readonly wrapper: string } }
  ? readonly DecodedContent<F['content']>[] | Absent<F>
  : F extends { readonly list: object }
    ? readonly DecodedContent<F['content']>[]
    : DecodedContent<F['content']> | Absent<F>;

type Absent<F extends XmlField> = F extends { readonly required: true } ? never : undefined;

/** A document whose root holds a list of many items, beside elements of their own. */
type ListShape = XmlShape & { readonly content: { readonly kind: 'struct'; readonly fields: readonly XmlField[] } };

interface DecodedObject {
  readonly [property: string]: DecodedValue;
}
type DecodedValue = string | number | boolean | undefined | readonly DecodedValue[] | DecodedObject;

/**
 * Reads a document that must fit the shape: no unknown elements, none twice, required ones there.
 * Absent elements are `undefined`, an absent flattened list is empty. Text is neither trimmed nor
 * coerced; names may carry a prefix, namespaces are not compared (old clients send wrong ones).
 *
 * @throws S3Error MalformedXML
 */
export function decodeXml<const S extends XmlShape>(
  shape: S,
  bytes: Uint8Array,
  limits: XmlLimits = SMALL_DOCUMENT,
): Decoded<S> {
  try {
    const root = parseTree(bytes, limits);
    if (root.name !== shape.root) throw new Error(`<${shape.root}> is expected`);
    // The one place where the shape's promise becomes a type: decodeContent walks exactly this shape.
    return decodeContent(shape.content, root) as Decoded<S>;
  } catch (error) {
    throw new S3Error('MalformedXML', { cause: error });
  }
}

/** Name of a document's root, without its prefix. @throws S3Error MalformedXML */
export function rootOf(bytes: Uint8Array): string {
  return malformed(() => parseTree(bytes, SMALL_DOCUMENT).name);
}

/**
 * The same as `decodeXml` for a long list, a piece at a time: in between others get their turn, so that a document of
 * megabytes blocks no other request.
 * @throws S3Error MalformedXML; the reason of the signal
 */
export async function decodeXmlList<const S extends ListShape>(
  shape: S,
  bytes: Uint8Array,
  { limits, signal }: ListOptions,
): Promise<Decoded<S>> {
  const pieces = cutPieces(bytes, limits);
  const root = new StructDecoder(shape.content.fields, shape.root);
  for (;;) {
    const decoded = malformed(() => decodeSome(pieces, root));
    if (decoded !== undefined) return decoded as Decoded<S>;
    await turn();
    signal.throwIfAborted();
  }
}

interface ListOptions {
  readonly limits: XmlLimits;
  readonly signal: AbortSignal;
}

/** Time that pieces may take together before others get their turn, ms. */
const SLICE_MS = 4;

/** As many pieces as there is time for. @returns the whole behind the last of them */
function decodeSome(pieces: Iterator<string, XmlElement>, root: StructDecoder): DecodedObject | undefined {
  for (const until = performance.now() + SLICE_MS; performance.now() < until; ) {
    const { done, value } = pieces.next();
    if (done === true) {
      root.take(value);
      return root.finish(value);
    }
    root.take(parsePiece(value));
  }
  return undefined;
}

function malformed<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new S3Error('MalformedXML', { cause: error });
  }
}

function decodeContent(content: XmlContent, element: XmlElement): DecodedValue {
  if (content.kind === 'struct') {
    const struct = new StructDecoder(content.fields, element.name);
    struct.take(element);
    return struct.finish(element);
  }
  if (element.children.length > 0) throw new Error(`<${element.name}> holds text only`);
  return decodeScalar(content.kind, element.text, element.name);
}

/** Puts a struct together from what it holds, which may come in pieces. */
class StructDecoder {
  readonly #fields: readonly XmlField[];
  readonly #name: string;
  readonly #value: Record<string, DecodedValue> = {};

  /** @param name of its element */
  constructor(fields: readonly XmlField[], name: string) {
    this.#fields = fields;
    this.#name = name;
  }

  take({ children, text }: XmlElement): void {
    if (text.trim() !== '') throw new Error(`<${this.#name}> holds elements only`);
    for (const child of children) {
      const field = this.#fields.find((one) => tagOf(one) === child.name);
      if (field === undefined) throw new Error(`<${child.name}> is not expected in <${this.#name}>`);
      const isItems = field.list !== undefined && !isFlat(field.list);
      this.#put(field, isItems ? decodeItems(field, child) : decodeContent(field.content, child));
    }
  }

  #put({ element, property = element, list }: XmlField, value: DecodedValue): void {
    const before = this.#value[property];
    if (before === undefined) this.#value[property] = isFlat(list) ? [value] : value;
    else if (isFlat(list)) (before as DecodedValue[]).push(value);
    else throw new Error(`<${list?.wrapper ?? element}> is there twice in <${this.#name}>`);
  }

  /** @param element whose tag it is. @throws Error: it is another, or something is missing */
  finish({ name, attributes }: XmlElement): DecodedObject {
    if (name !== this.#name) throw new Error(`<${this.#name}> is expected`);
    for (const field of this.#fields) {
      const { element, property = element, list, attribute, required } = field;
      if (attribute === true) this.#value[property] = decodeAttribute(field, attributes);
      const value = this.#value[property];
      if (required === true && (value === undefined || (Array.isArray(value) && value.length === 0))) {
        throw new Error(`<${element}> is missing in <${this.#name}>`);
      }
      if (value === undefined && isFlat(list)) this.#value[property] = [];
    }
    return this.#value;
  }
}

function decodeAttribute({ element, content }: XmlField, attributes: XmlElement['attributes']): DecodedValue {
  const value = attributes[element] ?? underAnotherPrefix(attributes, element);
  return value === undefined || content.kind === 'struct' ? undefined : decodeScalar(content.kind, value, element);
}

/** A list in an element around all of its items. */
function decodeItems({ element, content }: XmlField, { name, children, text }: XmlElement): DecodedValue {
  if (text.trim() !== '' || children.some((child) => child.name !== element)) {
    throw new Error(`<${name}> holds <${element}> only`);
  }
  return children.map((item) => decodeContent(content, item));
}

/** The prefix of a namespace is the writer's choice; as with elements, the local name counts. */
function underAnotherPrefix(attributes: XmlElement['attributes'], name: string): string | undefined {
  const colon = name.indexOf(':');
  if (colon < 0) return undefined;
  const local = name.slice(colon);
  const found = Object.keys(attributes).find((said) => said.endsWith(local) && said !== `xmlns${local}`);
  return found === undefined ? undefined : attributes[found];
}

/** The name of the element that a struct has for a field. @returns undefined: it is an attribute */
function tagOf({ element, list, attribute }: XmlField): string | undefined {
  return attribute === true ? undefined : (list?.wrapper ?? element);
}

/** Elements of the list stand among the struct's own. */
function isFlat(list: XmlField['list']): boolean {
  return list !== undefined && list.wrapper === undefined;
}

/** @param name of the element that holds the text. @throws Error: it is none of its kind */
function decodeScalar(kind: Exclude<XmlContent['kind'], 'struct'>, text: string, name: string): DecodedValue {
  if (kind === 'text') return text;
  const value = text.trim();
  if (kind === 'number') {
    const number = Number(value);
    if (!/^-?\d{1,16}$/.test(value) || !Number.isSafeInteger(number)) throw new Error(`<${name}> is no integer`);
    return number;
  }
  const truth = value.toLowerCase(); // the S3 documentation has TRUE in some of its examples
  if (truth !== 'true' && truth !== 'false') throw new Error(`<${name}> is neither true nor false`);
  return truth === 'true';
}
