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
interface BlobValues {
  readonly name: string;
  /** By their places, as `places` named them. */
  readonly properties: (string | undefined)[];
  /** Names in lower case. */
  readonly metadata: Record<string, string>;
  /** Behind the end tag of the blob. */
  readonly end: number;
}

interface Step {
  /** What stands before the value, from the end of the one before. */
  readonly before: string;
  /** Place of the property, or name of the metadata. Undefined: the name of the blob, or of no use. */
  readonly place?: number | undefined;
  readonly metadata?: string | undefined;
  readonly isName: boolean;
}

/**
 * The text of one `<Blob>` with holes where its values are. Most blobs of a page differ in these alone, so that the
 * next one is read by comparing what stands between them, instead of tag by tag. What does not fit to the letter is
 * left to the reader that knows XML.
 */
export class BlobTemplate {
  readonly #steps: readonly Step[];
  /** From the end of the last value to behind `</Blob>`. */
  readonly #tail: string;
  readonly #width: number;

  private constructor(steps: readonly Step[], tail: string, width: number) {
    this.#steps = steps;
    this.#tail = tail;
    this.#width = width;
  }

  /**
   * @param range of a blob that was read already: from behind `<Blob>` to behind its end tag
   * @param places of the properties that are wanted
   * @returns undefined when its elements have attributes or lie where none are known
   */
  static of(
    xml: string,
    { from, to }: { readonly from: number; readonly to: number },
    places: ReadonlyMap<string, number>,
  ): BlobTemplate | undefined {
    const steps: Step[] = [];
    const path: string[] = [];
    let before = from;
    let at = xml.indexOf('<', from);
    while (at < to) {
      const close = xml.indexOf('>', at);
      const tag = xml.slice(at + 1, close);
      at = xml.indexOf('<', close);
      if (tag.startsWith('/')) {
        path.pop();
      } else if (!tag.endsWith('/')) {
        path.push(tag);
        if (xml.charCodeAt(at + 1) !== SLASH || CONSTANT.has(tag)) continue;
        const step = stepOf(path, xml.slice(before, close + 1), places);
        if (step === undefined) return undefined;
        steps.push(step);
        before = at;
      }
      if (at < 0) break;
    }
    return new BlobTemplate(steps, xml.slice(before, to), places.size);
  }

  /** The blob that begins at `from`, behind its tag. Undefined: it is of another kind. */
  read(xml: string, from: number): BlobValues | undefined {
    const properties = new Array<string | undefined>(this.#width).fill(undefined);
    const metadata = Object.create(null) as Record<string, string>;
    let name = '';
    let at = from;
    for (const step of this.#steps) {
      const { before } = step;
      const start = at + before.length;
      // Three to six times as fast as `startsWith`.
      if (xml.slice(at, start) !== before) return undefined;
      at = xml.indexOf('<', start);
      if (at < 0) return undefined;
      if (at === start) continue;
      if (step.place !== undefined) properties[step.place] = unescapeXml(xml.slice(start, at));
      else if (step.metadata !== undefined) metadata[step.metadata] = unescapeXml(xml.slice(start, at));
      else if (step.isName) name = unescapeXml(xml.slice(start, at));
    }
    const end = at + this.#tail.length;
    return xml.slice(at, end) === this.#tail ? { name, properties, metadata, end } : undefined;
  }
}

const SLASH = 0x2f;

/** @param path of the element that holds the value, below the blob */
function stepOf(path: readonly string[], before: string, places: ReadonlyMap<string, number>): Step | undefined {
  const [part = '', element] = path;
  if (path.some((tag) => tag.includes(' ')) || path.length > 2) return undefined;
  if (element === undefined) return { before, isName: part === 'Name' };
  if (part === 'Properties') return { before, isName: false, place: places.get(element) };
  return { before, isName: false, ...(part === 'Metadata' && { metadata: element.toLowerCase() }) };
}
