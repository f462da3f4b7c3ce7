import type { ResourceArn } from '../../observe/resource-arn.ts';
import type { Pattern } from './document.ts';

/** The resource patterns that begin with one text. */
export interface Start {
  readonly text: string;
  readonly patterns: { readonly place: number; readonly behind: Pattern['behind'] }[];
  /** The longest other start that is a prefix of this one. */
  readonly within: Start | undefined;
  /** For the resources that were asked about last. */
  beside?: Beside;
}

/** How a start compares with all ARNs that have this `within`. */
interface Beside {
  readonly within: string;
  /** What the name of an ARN must begin with; undefined: the name does not matter. */
  readonly name: string | undefined;
  /** Where the name does not matter: whether they begin with the start. */
  readonly isWithin: boolean;
}

/** The ARNs with the same `within` that stand between two neighbouring starts. */
interface Stretch {
  readonly within: string;
  /** Names from this one on. */
  readonly from: string;
  /** Names before this one; undefined: there is no end. */
  readonly to: string | undefined;
  /** The start before them. */
  readonly start: Start | undefined;
}

/** Finds what ARNs begin with. The resources of most requests stand together: the last stretch is looked at first. */
export class ResourceStarts {
  /** By text. */
  readonly #sorted: readonly Start[];
  #last: Stretch | undefined = undefined;

  constructor(byText: ReadonlyMap<string, Start['patterns']>) {
    this.#sorted = nested(byText);
  }

  /**
   * The longest start that the ARN begins with. In sorted order, all texts that begin with one text stand right behind
   * it. So every start of the ARN is also a start of the greatest text that is not greater than the ARN, and
   * `Start.within` leads through them.
   */
  longest(resource: ResourceArn): Start | undefined {
    const { within, name } = resource;
    let stretch = this.#last;
    if (stretch === undefined || !holds(stretch, resource)) this.#last = stretch = this.#stretchOf(resource);
    for (let { start } = stretch; start !== undefined; start = start.within) {
      const beside = besideOf(start, within);
      if (beside.name === undefined ? beside.isWithin : name.startsWith(beside.name)) return start;
    }
    return undefined;
  }

  #stretchOf({ within, text }: ResourceArn): Stretch {
    const place = this.#search(text);
    const [start, next] = [this.#sorted[place], this.#sorted[place + 1]];
    // What does not begin with `within` stands before all names, or behind all of them.
    const from = (start && besideOf(start, within).name) ?? '';
    return { within, from, to: next && besideOf(next, within).name, start };
  }

  /** The place of the greatest text that is not greater than the resource; -1: there is none. */
  #search(resource: string): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#sorted[middle]?.text ?? '') <= resource) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}

function holds({ within, from, to }: Stretch, resource: ResourceArn): boolean {
  const { name } = resource;
  return within === resource.within && from <= name && (to === undefined || name < to);
}

function besideOf(start: Start, within: string): Beside {
  const { text, beside } = start;
  if (beside?.within === within) return beside;
  const name = text.startsWith(within) ? text.slice(within.length) : undefined;
  return (start.beside = { within, name, isWithin: within.startsWith(text) });
}

function nested(byText: ReadonlyMap<string, Start['patterns']>): Start[] {
  const starts: Start[] = [];
  for (const text of [...byText.keys()].sort(byUnits)) {
    let within = starts.at(-1);
    while (within !== undefined && !text.startsWith(within.text)) within = within.within;
    starts.push({ text, patterns: byText.get(text) ?? [], within });
  }
  return starts;
}

/** The order of `<`, by UTF-16 code units. */
function byUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
