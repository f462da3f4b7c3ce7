import type { ResourceArn } from '../../observe/resource-arn.ts';
import { NO_KEYS } from './context.ts';
import type { PatternSet, PolicyDocument } from './document.ts';
import { ResourceStarts, type Start } from './resource-starts.ts';
import type { Candidate, Found } from './said.ts';

/** What the index remembers of one action. */
interface Naming {
  readonly action: string;
  /** Whether the statement at each place of the document names the action. */
  readonly named: readonly boolean[];
  readonly letters: string;
  /** The candidates, by the longest start that the resource begins with; undefined: it begins with none. */
  readonly longer: Map<Start | undefined, Found>;
  /** The same for resources that are equal to the start. */
  readonly exact: Map<Start | undefined, Found>;
  /** What was found last. */
  last?: { readonly start: Start | undefined; readonly isExact: boolean; readonly found: Found };
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
  readonly #starts: ResourceStarts;
  /** Of the last action that was asked for. */
  #last: Naming | undefined = undefined;
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
    this.#starts = new ResourceStarts(byText);
    this.#candidates = document.statements.map((statement, place) => ({
      asked: { place, statement, isAbout: statement.resources === undefined },
      known: { place, statement, isAbout: true },
    }));
  }

  /** Finds the candidates. What names an action can be remembered, because patterns of actions have no variables. */
  find(action: string, resource: ResourceArn): Found {
    const naming = this.#last?.action === action ? this.#last : (this.#last = this.#naming(action));
    const start = this.#starts.longest(resource);
    const isExact = start?.text.length === resource.within.length + resource.name.length;
    const { last } = naming;
    if (last !== undefined && last.start === start && last.isExact === isExact) return last.found;
    const found = this.#foundFor(naming, start, isExact);
    naming.last = { start, isExact, found };
    return found;
  }

  #foundFor(naming: Naming, start: Start | undefined, isExact: boolean): Found {
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
    this.#last = undefined;
    this.#remembered = 0;
  }

  #naming(action: string): Naming {
    const known = this.#byAction.get(action);
    if (known !== undefined) return known;
    const lower = action.toLowerCase();
    const named = this.#document.statements.map(({ actions }) => names(actions, lower));
    const letters = named.map((is) => (is ? 'r' : 'a')).join('');
    const made: Naming = { action, named, letters, longer: new Map(), exact: new Map() };
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
}

const byDocument = new WeakMap<PolicyDocument, StatementIndex>();

export function indexOf(document: PolicyDocument): StatementIndex {
  const known = byDocument.get(document);
  if (known !== undefined) return known;
  const index = new StatementIndex(document);
  byDocument.set(document, index);
  return index;
}

function names({ not, patterns }: PatternSet, action: string): boolean {
  return patterns.some((pattern) => pattern.matches(action, NO_KEYS)) !== not;
}
