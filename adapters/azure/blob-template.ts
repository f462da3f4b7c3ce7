import { NamedValues } from '../../src/observe/named-values.ts';
import { PageText, Pattern } from './page-text.ts';

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

/** Properties that many blobs of a page have in common, with the tags before them: to be compared, not read. */
const OFTEN_SAME = /<(?:Creation-Time|Last-Modified|Content-Type|AccessTier|AccessTierChangeTime)>$/;

/** The values of one blob as they stand in a listing, without those that are empty. */
export interface BlobValues {
  readonly name: string;
  /** By their places, as `places` named them. */
  readonly properties: readonly (string | undefined)[];
  /** Names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What becomes of a value. */
type Use = 'name' | 'property' | 'metadata' | 'none';

interface Step {
  /** What stands before the value, from the end of the one before. */
  readonly before: Pattern;
  readonly use: Use;
  /** Place of the property. */
  readonly place: number;
  /** Name of the metadata. */
  readonly metadata: string;
  readonly isOftenSame: boolean;
  /** Where a value stands that was read, with the mark behind it, and what it is; the length is 0 if none is kept. */
  from: number;
  length: number;
  value: string;
}

/**
 * One `<Blob>` with holes where its values are. Most blobs of a page differ in these alone, so that the next one is
 * read by comparing what stands between them, instead of tag by tag. What does not fit to the letter is left to the
 * reader that knows XML.
 */
export class BlobTemplate implements BlobValues {
  name = '';
  metadata: Record<string, string> = new NamedValues();
  readonly properties: (string | undefined)[];
  readonly #page: PageText;
  readonly #steps: readonly Step[];
  /** From the end of the last value to behind `</Blob>`. */
  readonly #tail: Pattern;

  private constructor(
    page: PageText,
    steps: readonly Step[],
    parts: { readonly tail: Pattern; readonly width: number },
  ) {
    this.#page = page;
    this.#steps = steps;
    this.#tail = parts.tail;
    this.properties = new Array<string | undefined>(parts.width).fill(undefined);
  }

  /**
   * @param range of a blob that was read already: from behind `<Blob>` to behind its end tag
   * @param places of the properties that are wanted
   * @returns undefined when its elements have attributes or lie where none are known
   */
  static of(
    page: PageText,
    { from, to }: { readonly from: number; readonly to: number },
    places: ReadonlyMap<string, number>,
  ): BlobTemplate | undefined {
    const xml = page.latin1(from, to);
    const steps: Step[] = [];
    const path: string[] = [];
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
        const step = stepOf({ path, before: xml.slice(before, close + 1) }, places);
        if (step === undefined) return undefined;
        steps.push(step);
        before = at;
      }
    }
    const tail = xml.slice(before);
    if (!Pattern.isOne(tail)) return undefined;
    return new BlobTemplate(page, steps, { tail: Pattern.of(tail), width: places.size });
  }

  /**
   * Reads the blob that begins at `from`, behind its tag. Its values are those of the template until it reads the next
   * one. @returns the place behind its end tag; -1: it is of another kind
   */
  read(from: number): number {
    const page = this.#page;
    this.name = '';
    this.metadata = new NamedValues();
    this.properties.fill(undefined);
    let at = from;
    for (const step of this.#steps) {
      if (!step.before.standsIn(page, at)) return -1;
      const start = at + step.before.length;
      if (step.length > 0 && page.isSame(start, step.from, step.length)) {
        at = start + step.length - 1;
        this.#keep(step, step.value);
        continue;
      }
      at = page.markFrom(start);
      if (at === start) continue;
      const value = step.use === 'none' ? '' : page.between(start, at);
      this.#keep(step, value);
      if (step.isOftenSame && at - start >= PageText.LEAST) remember(step, value, start, at);
    }
    return this.#tail.standsIn(page, at) ? at + this.#tail.length : -1;
  }

  #keep({ use, place, metadata }: Step, value: string): void {
    if (use === 'property') this.properties[place] = value;
    else if (use === 'metadata') this.metadata[metadata] = value;
    else if (use === 'name') this.name = value;
  }
}

function remember(step: Step, value: string, from: number, to: number): void {
  step.from = from;
  step.length = to - from + 1;
  step.value = value;
}

const SLASH = 0x2f;
/** @param path of the element that holds the value, below the blob; `before` as it stands in the page */
function stepOf(
  { path, before }: { readonly path: readonly string[]; readonly before: string },
  places: ReadonlyMap<string, number>,
): Step | undefined {
  const [part = '', element] = path;
  if (!Pattern.isOne(before) || path.some((tag) => tag.includes(' ')) || path.length > 2) return undefined;
  const step = {
    before: Pattern.of(before),
    use: 'none' as const,
    place: -1,
    metadata: '',
    isOftenSame: OFTEN_SAME.test(before),
    from: 0,
    length: 0,
    value: '',
  };
  if (element === undefined) return part === 'Name' ? { ...step, use: 'name' } : step;
  if (part === 'Metadata') return { ...step, use: 'metadata', metadata: asKey(element.toLowerCase()) };
  const place = part === 'Properties' ? places.get(element) : undefined;
  return place === undefined ? step : { ...step, use: 'property', place };
}

/** The same text as V8 keeps the names of members: otherwise each use as one begins with a search for that. */
function asKey(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}
