import { S3Error } from '../../errors/s3-error.ts';
import { parsePieces, parseTree, type XmlElement } from './parse-tree.ts';
import type { XmlLimits } from './scan.ts';
import type { XmlContent, XmlField, XmlShape } from './shape.ts';
import { turn } from '../../streams/turns.ts';

/** Of everything but long lists: 50 tags of the largest size, every character escaped, and 100 grants stay below. */
export const SMALL_DOCUMENT: XmlLimits = { bytes: 256 * 1024, elements: 2000 };

/** What a document of shape `S` decodes to; exact when the shape was declared `as const satisfies XmlShape`. */
export type Decoded<S extends XmlShape> = DecodedContent<S['content']>;

type DecodedContent<C extends XmlContent> = C extends { readonly kind: 'text' }
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

interface DecodedObject {
  readonly [property: string]: DecodedValue;
}
type DecodedValue = string | number | boolean | undefined | readonly DecodedValue[] | DecodedObject;

/** A document whose root holds a list of many items, beside elements of their own. */
type ListShape = XmlShape & { readonly content: { readonly kind: 'struct'; readonly fields: readonly XmlField[] } };

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

/**
 * The same for a long list, a piece at a time: in between others get their turn, so that a document of megabytes blocks
 * nobody.
 * @throws S3Error MalformedXML; the reason of the signal
 */
export async function decodeXmlList<const S extends ListShape>(
  shape: S,
  bytes: Uint8Array,
  { limits, signal }: ListOptions,
): Promise<Decoded<S>> {
  const root = new RootDecoder(shape);
  const pieces = parsePieces(bytes, limits);
  while (step(pieces, root)) {
    await turn();
    signal.throwIfAborted();
  }
  return malformed(() => root.finish()) as Decoded<S>;
}

interface ListOptions {
  readonly limits: XmlLimits;
  readonly signal: AbortSignal;
}

/** Time that pieces may take together before others get their turn, ms. */
const SLICE_MS = 4;

/** Some pieces; false when there are no more. */
function step(pieces: Iterator<XmlElement>, root: RootDecoder): boolean {
  const until = performance.now() + SLICE_MS;
  return malformed(() => {
    do {
      const piece = pieces.next();
      if (piece.done === true) return false;
      root.take(piece.value);
    } while (performance.now() < until);
    return true;
  });
}

function malformed<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new S3Error('MalformedXML', { cause: error });
  }
}

/** Puts the root together from pieces of what it holds, and its own tag, which comes last. */
class RootDecoder {
  readonly #shape: ListShape;
  readonly #fields: ReadonlyMap<string, XmlField>;
  readonly #values = new Map<XmlField, DecodedValue[]>();
  #name = '';

  constructor(shape: ListShape) {
    this.#shape = shape;
    this.#fields = new Map(shape.content.fields.map((field) => [field.element, field]));
  }

  take(piece: XmlElement): void {
    this.#name = piece.name;
    if (piece.text.trim() !== '') throw new Error(`<${this.#shape.root}> holds elements only`);
    for (const child of piece.children) {
      const field = this.#fields.get(child.name);
      if (field === undefined) throw new Error(`<${child.name}> is not expected in <${this.#shape.root}>`);
      const values = this.#values.get(field) ?? [];
      if (field.list === undefined && values.length > 0) {
        throw new Error(`<${child.name}> stands twice in <${this.#shape.root}>`);
      }
      values.push(decodeContent(field.content, child));
      this.#values.set(field, values);
    }
  }

  finish(): DecodedObject {
    if (this.#name !== this.#shape.root) throw new Error(`<${this.#shape.root}> is expected`);
    const entries = this.#shape.content.fields.map((field): [string, DecodedValue] => {
      const values = this.#values.get(field) ?? [];
      if (field.required === true && values.length === 0) {
        throw new Error(`<${field.element}> is missing in <${this.#shape.root}>`);
      }
      return [field.property ?? field.element, field.list === undefined ? values[0] : values];
    });
    return Object.fromEntries(entries);
  }
}

function decodeContent(content: XmlContent, element: XmlElement): DecodedValue {
  if (content.kind === 'struct') return decodeStruct(content.fields, element);
  if (element.children.length > 0) throw new Error(`<${element.name}> holds text only`);
  return decodeScalar(content.kind, element.text, element.name);
}

function decodeStruct(fields: readonly XmlField[], element: XmlElement): DecodedObject {
  if (element.text.trim() !== '') throw new Error(`<${element.name}> holds elements only`);
  const known = namesIn(fields);
  const stranger = element.children.find((child) => !known.has(child.name));
  if (stranger !== undefined) throw new Error(`<${stranger.name}> is not expected in <${element.name}>`);
  const result: Record<string, DecodedValue> = {};
  for (const field of fields) {
    const value = decodeField(field, element);
    if (field.required === true && (value === undefined || (Array.isArray(value) && value.length === 0))) {
      throw new Error(`<${field.element}> is missing in <${element.name}>`);
    }
    result[field.property ?? field.element] = value;
  }
  return result;
}

const names = new WeakMap<readonly XmlField[], ReadonlySet<string>>();

/** Of the elements that may stand there. */
function namesIn(fields: readonly XmlField[]): ReadonlySet<string> {
  const known =
    names.get(fields) ??
    new Set(fields.filter((field) => field.attribute !== true).map((field) => field.list?.wrapper ?? field.element));
  names.set(fields, known);
  return known;
}

/** The prefix of a namespace is the writer's choice; as with elements, the local name counts. */
function underAnotherPrefix(attributes: XmlElement['attributes'], name: string): string | undefined {
  const colon = name.indexOf(':');
  if (colon < 0) return undefined;
  const local = name.slice(colon);
  const found = Object.keys(attributes).find((said) => said.endsWith(local) && said !== `xmlns${local}`);
  return found === undefined ? undefined : attributes[found];
}

function decodeField(field: XmlField, parent: XmlElement): DecodedValue {
  if (field.attribute === true) {
    const value = parent.attributes[field.element] ?? underAnotherPrefix(parent.attributes, field.element);
    return value === undefined || field.content.kind === 'struct'
      ? undefined
      : decodeScalar(field.content.kind, value, field.element);
  }
  if (field.list === undefined) {
    const only = single(parent, field.element);
    return only === undefined ? undefined : decodeContent(field.content, only);
  }
  const { wrapper } = field.list;
  const holder = wrapper === undefined ? parent : single(parent, wrapper);
  if (holder === undefined) return undefined;
  const items = holder.children.filter((child) => child.name === field.element);
  if (wrapper !== undefined && (items.length !== holder.children.length || holder.text.trim() !== '')) {
    throw new Error(`<${wrapper}> holds <${field.element}> only`);
  }
  return items.map((item) => decodeContent(field.content, item));
}

function single(parent: XmlElement, name: string): XmlElement | undefined {
  const found = parent.children.filter((child) => child.name === name);
  if (found.length > 1) throw new Error(`<${name}> stands twice in <${parent.name}>`);
  return found[0];
}

function decodeScalar(kind: 'text' | 'number' | 'boolean', text: string, name: string): DecodedValue {
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
