import type { Mismatch } from '../../observe/packed-reasons.ts';
import { NO_KEYS } from './context.ts';
import type { PatternSet, PolicyDocument, Statement } from './document.ts';

/** The statements that name an action. */
interface NamingAction {
  /** By place in the document. */
  readonly named: readonly boolean[];
  /** What each of the document says if it is not looked at: `a` or `r`. */
  readonly letters: readonly Mismatch[];
}

/** Statements whose resources begin so. */
interface Start {
  readonly text: string;
  readonly places: number[];
  /** The longest other one that this one begins with. */
  readonly within: Start | undefined;
}

/** Actions that are remembered: most requests for a bucket take the same few. */
const MAX_ACTIONS = 8;

/**
 * The statements of a document by action and by what their resources begin with, so that a request is held against
 * those only that may speak about it. Made once for a document.
 */
export class StatementIndex {
  readonly #document: PolicyDocument;
  readonly #byAction = new Map<string, NamingAction>();
  /** Places of statements about resources that may begin with anything. */
  readonly #anywhere: number[] = [];
  /** In the order of their texts. */
  readonly #starts: readonly Start[];

  constructor(document: PolicyDocument) {
    this.#document = document;
    const byText = new Map<string, number[]>();
    for (const [place, { resources }] of document.statements.entries()) {
      const texts = startsOf(resources);
      if (texts === undefined) this.#anywhere.push(place);
      for (const text of texts ?? []) {
        const places = byText.get(text);
        if (places === undefined) byText.set(text, [place]);
        else places.push(place);
      }
    }
    this.#starts = nested(byText);
  }

  /** Patterns of actions have no variables, so that it is always the same. */
  naming(action: string): NamingAction {
    const known = this.#byAction.get(action);
    if (known !== undefined) return known;
    const lower = action.toLowerCase();
    const named = this.#document.statements.map(({ actions }) => names(actions, lower));
    const found = { named, letters: named.map((is) => (is ? 'r' : 'a')) } satisfies NamingAction;
    if (this.#byAction.size >= MAX_ACTIONS) this.#byAction.clear();
    this.#byAction.set(action, found);
    return found;
  }

  /** Places of the statements that may speak about a resource, in order; all others do not. */
  about(resource: string): readonly number[] {
    let start = this.#longestStart(resource);
    if (start === undefined) return this.#anywhere;
    if (start.within === undefined && this.#anywhere.length === 0) return start.places;
    const places = [...this.#anywhere];
    for (; start !== undefined; start = start.within) places.push(...start.places);
    return places.sort((one, other) => one - other);
  }

  /**
   * Whatever begins with a text stands together, with that text at the head: all that the resource begins with, the
   * greatest text that is not greater than the resource begins with, too.
   */
  #longestStart(resource: string): Start | undefined {
    let [from, to] = [0, this.#starts.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#starts[middle]?.text ?? '') <= resource) from = middle + 1;
      else to = middle;
    }
    let start = this.#starts[from - 1];
    while (start !== undefined && !resource.startsWith(start.text)) start = start.within;
    return start;
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

/** What the resources of a statement begin with, none with another one of them. Undefined: with anything. */
function startsOf(resources: Statement['resources']): string[] | undefined {
  if (resources === undefined || resources.not) return undefined;
  const kept: string[] = [];
  const starts = resources.patterns.map(({ start }) => start);
  if (starts.includes(undefined)) return undefined;
  for (const start of starts.filter((one) => one !== undefined).sort(byUnits)) {
    const last = kept.at(-1);
    if (last === undefined || !start.startsWith(last)) kept.push(start);
  }
  return kept;
}

function nested(byText: ReadonlyMap<string, number[]>): Start[] {
  const starts: Start[] = [];
  for (const text of [...byText.keys()].sort(byUnits)) {
    let within = starts.at(-1);
    while (within !== undefined && !text.startsWith(within.text)) within = within.within;
    starts.push({ text, places: byText.get(text) ?? [], within });
  }
  return starts;
}

/** As `<` has it. */
function byUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function names({ not, patterns }: PatternSet, action: string): boolean {
  return patterns.some((pattern) => pattern.matches(action, NO_KEYS)) !== not;
}
