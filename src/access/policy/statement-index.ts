import { NO_KEYS } from './context.ts';
import type { Pattern, PatternSet, PolicyDocument } from './document.ts';
import type { Candidate, Found } from './said.ts';

/** The resource patterns that begin with one text. */
interface Start {
  readonly text: string;
  readonly patterns: { readonly place: number; readonly behind: Pattern['behind'] }[];
  /** The longest other start that is a prefix of this one. */
  readonly within: Start | undefined;
}

/** What the index remembers of one action. */
interface Naming {
  /** Whether the statement at each place of the document names the action. */
  readonly named: readonly boolean[];
  readonly letters: string;
  /** The candidates, by the longest start that the resource begins with; undefined: it begins with none. */
  readonly longer: Map<Start | undefined, Found>;
  /** The same for resources that are equal to the start. */
  readonly exact: Map<Start | undefined, Found>;
}

/** Most actions that are remembered. Most requests for a bucket need the same few. */
const MAX_ACTIONS = 8;
/** Most candidates in everything that is remembered: the author of a document chooses how many statements there are. */
const MAX_REMEMBERED = 1024;

/**
 * Finds the statements that may apply to a request by its action and by what its resource begins with, so that only
 * these are asked. Made once for each document.
 */
export class StatementIndex {
  readonly #document: PolicyDocument;
  readonly #byAction = new Map<string, Naming>();
  #remembered = 0;
  /** Places of statements whose resources may begin with anything. */
  readonly #anywhere: number[] = [];
  /** Sorted by text. */
  readonly #starts: readonly Start[];
  /** The place in `#starts` where the last search ended. */
  #last = 0;
  /**
   * For each place of the document two candidates: one whose resources must be asked, one whose resources are known to
   * fit.
   */
  readonly #candidates: readonly { readonly asked: Candidate; readonly known: Candidate }[];

  constructor(document: PolicyDocument) {
    this.#document = document;
    const byText = new Map<string, Start['patterns']>();
    for (const [place, { resources }] of document.statements.entries()) {
      if (resources === undefined || resources.not || resources.patterns.some(({ start }) => start === undefined)) {
        this.#anywhere.push(place);
        continue;
      }
      for (const { start = '', behind } of resources.patterns) {
        const patterns = byText.get(start) ?? [];
        byText.set(start, patterns);
        patterns.push({ place, behind });
      }
    }
    this.#starts = nested(byText);
    this.#candidates = document.statements.map((statement, place) => ({
      asked: { place, statement, isAbout: statement.resources === undefined },
      known: { place, statement, isAbout: true },
    }));
  }

  /** Finds the candidates. What names an action can be remembered, because patterns of actions have no variables. */
  find(action: string, resource: string): Found {
    const naming = this.#naming(action);
    const start = this.#longestStart(resource);
    const isExact = start?.text.length === resource.length;
    const known = isExact ? naming.exact : naming.longer;
    const found = known.get(start);
    if (found !== undefined) return found;
    const made = { candidates: this.#candidatesOf(naming, start, isExact), letters: naming.letters };
    this.#remembered += made.candidates.length + 1;
    if (this.#remembered > MAX_REMEMBERED) this.#forget();
    known.set(start, made);
    return made;
  }

  #forget(): void {
    this.#byAction.clear();
    this.#remembered = 0;
  }

  #naming(action: string): Naming {
    const known = this.#byAction.get(action);
    if (known !== undefined) return known;
    const lower = action.toLowerCase();
    const named = this.#document.statements.map(({ actions }) => names(actions, lower));
    const letters = named.map((is) => (is ? 'r' : 'a')).join('');
    const made: Naming = { named, letters, longer: new Map(), exact: new Map() };
    if (this.#byAction.size >= MAX_ACTIONS) this.#forget();
    this.#byAction.set(action, made);
    return made;
  }

  #candidatesOf({ named }: Naming, longest: Start | undefined, isExact: boolean): Candidate[] {
    const isKnown = new Map(this.#anywhere.map((place) => [place, false]));
    for (let start = longest; start !== undefined; start = start.within) {
      const isWhole = isExact && start === longest;
      for (const { place, behind } of start.patterns) {
        if (behind === 'nothing' && !isWhole) continue;
        isKnown.set(place, isKnown.get(place) === true || behind !== undefined);
      }
    }
    const places = [...isKnown.keys()].filter((place) => named[place] === true).sort((one, other) => one - other);
    return places.flatMap((place) => {
      const both = this.#candidates[place];
      return both === undefined ? [] : [isKnown.get(place) === true ? both.known : both.asked];
    });
  }

  /**
   * In sorted order, all texts that begin with one text stand right behind it. So every start of the resource is also a
   * start of the greatest text that is not greater than the resource, and `within` leads through them.
   */
  #longestStart(resource: string): Start | undefined {
    if (!this.#isBehindLast(resource)) this.#last = this.#search(resource);
    let start = this.#starts[this.#last];
    while (start !== undefined && !resource.startsWith(start.text)) start = start.within;
    return start;
  }

  /** Whether the search would end where the last one did; the resources of most requests stand together. */
  #isBehindLast(resource: string): boolean {
    const [here, next] = [this.#starts[this.#last], this.#starts[this.#last + 1]];
    return here !== undefined && here.text <= resource && (next === undefined || resource < next.text);
  }

  /** The place of the greatest text that is not greater than the resource; -1: there is none. */
  #search(resource: string): number {
    let [from, to] = [0, this.#starts.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#starts[middle]?.text ?? '') <= resource) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}

const byDocument = new WeakMap<PolicyDocument, StatementIndex>();

export function indexOf(document: PolicyDocument): StatementIndex {
  const known = byDocument.get(document);
  if (known !== undefined) return known;
  const index = new StatementIndex(document);
  byDocument.set(document, index);
  return index;
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

function names({ not, patterns }: PatternSet, action: string): boolean {
  return patterns.some((pattern) => pattern.matches(action, NO_KEYS)) !== not;
}
