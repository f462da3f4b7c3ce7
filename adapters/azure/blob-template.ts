import { NamedValues } from '../../src/observe/named-values.ts';
import { unescapeXml } from './xml-reader.ts';

/**
 * Elements whose values are of no use and hardly differ within a container: they count as text between values. Values
 * of other elements that are of no use may be any.
 */
const CONSTANT: ReadonlySet<string> = new Set([
  'BlobType',
  'AccessTierInferred',
  'LeaseStatus',
  'LeaseState',
  'ServerEncrypted',
  'ResourceType',
]);

/** The values of one blob as they stand in a listing, without those that are empty. */
export interface BlobValues {
  readonly name: string;
  /** By their places, as `places` named them. */
  readonly properties: readonly (string | undefined)[];
  /** Names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Where a value goes: to the name, the property of a place, or the metadata of a name. */
interface Use {
  readonly kind: 'name' | 'property' | 'metadata';
  readonly place: number;
  readonly metadata: string;
}

/**
 * The quick twin of `readBlob` (CONTRIBUTING.md, "Twins"): one `<Blob>` with holes where its values are. Most blobs of
 * a page differ in these alone, so that one regular expression reads the next one, instead of a walk from tag to tag.
 * What does not fit to the letter is left to the reader that knows XML.
 */
export class BlobTemplate implements BlobValues {
  name = '';
  metadata: Record<string, string> = new NamedValues();
  readonly properties: (string | undefined)[];
  readonly #pattern: RegExp;
  readonly #uses: readonly Use[];

  private constructor(pattern: RegExp, uses: readonly Use[], width: number) {
    this.#pattern = pattern;
    this.#uses = uses;
    this.properties = new Array<string | undefined>(width).fill(undefined);
  }

  /**
   * @param xml a blob that was read already: from behind `<Blob>` to behind its end tag
   * @param places of the properties that are wanted
   * @returns undefined when its elements have attributes or lie where none are known
   */
  static of(xml: string, places: ReadonlyMap<string, number>): BlobTemplate | undefined {
    const uses: Use[] = [];
    const path: string[] = [];
    let pattern = '';
    let before = 0;
    let at = 0;
    while (at >= 0) {
      const close = xml.indexOf('>', at);
      const tag = xml.slice(at + 1, close);
      at = xml.indexOf('<', close);
      if (tag.startsWith('/')) {
        path.pop();
      } else if (!tag.endsWith('/')) {
        path.push(tag);
        if (xml.charCodeAt(at + 1) !== SLASH || CONSTANT.has(tag)) continue;
        if (tag.includes(' ') || path.length > 2) return undefined;
        const use = useOf(path, places);
        if (use !== undefined) uses.push(use);
        pattern += literal(xml.slice(before, close + 1)) + (use === undefined ? '[^<]*' : '([^<]*)');
        before = at;
      }
    }
    return new BlobTemplate(new RegExp(pattern + literal(xml.slice(before)), 'y'), uses, places.size);
  }

  /**
   * Reads the blob that begins at `from`, behind its tag. Its values are those of the template until it reads the next
   * one. @returns the place behind its end tag; -1: it is of another kind
   */
  read(page: string, from: number): number {
    this.#pattern.lastIndex = from;
    const found = this.#pattern.exec(page);
    if (found === null) return -1;
    this.metadata = new NamedValues();
    const hasReferences = found[0].includes('&');
    let hole = 0;
    for (const { kind, place, metadata } of this.#uses) {
      const written = found[(hole += 1)] ?? '';
      const value = hasReferences ? unescapeXml(written) : written;
      if (kind === 'property') this.properties[place] = value || undefined;
      else if (kind === 'name') this.name = value;
      else if (value !== '') this.metadata[metadata] = value;
    }
    return this.#pattern.lastIndex;
  }
}

const SLASH = 0x2f;

/** @param path of the element that holds the value, below the blob. @returns undefined: the value is of no use */
function useOf([part = '', element]: readonly string[], places: ReadonlyMap<string, number>): Use | undefined {
  if (part === 'Name' && element === undefined) return { kind: 'name', place: -1, metadata: '' };
  if (element === undefined) return undefined;
  if (part === 'Metadata') return { kind: 'metadata', place: -1, metadata: asKey(element.toLowerCase()) };
  const place = part === 'Properties' ? places.get(element) : undefined;
  return place === undefined ? undefined : { kind: 'property', place, metadata: '' };
}

/** The text as a regular expression that means nothing else. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The same text as V8 keeps the names of members: otherwise each use as one begins with a search for that. */
function asKey(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}
