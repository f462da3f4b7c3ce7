import type { PolicyContext } from './context.ts';
import type { Mismatch, PackedDocument } from '../../observe/packed-reasons.ts';
import type { Condition, Effect, NamedPolicy, PatternSet, Statement } from './document.ts';
import { type Through, isNarrower, namedBy } from './principal.ts';
import { type Candidate, type Found, indexOf } from './statement-index.ts';

/** One statement that speaks about a request. */
export interface Spoken {
  readonly policy: NamedPolicy;
  readonly statement: Statement;
}

/** What the statements of one document said. Put into letters when somebody asks: most are never asked. */
export class Said {
  readonly policy: NamedPolicy;
  readonly #found: Found;
  /** Of the candidates that were asked, in their order; a statement that denies is the last. */
  readonly #answers: (Mismatch | Condition)[] = [];
  #isDenied = false;

  constructor(policy: NamedPolicy, found: Found) {
    this.policy = policy;
    this.#found = found;
  }

  /** A letter (`MISMATCHES`) for each statement, in order; nothing behind one that denies. */
  get letters(): string {
    const { candidates, letters } = this.#found;
    let [text, from] = ['', 0];
    for (const [at, answer] of this.#answers.entries()) {
      const place = candidates[at]?.place ?? from;
      text += letters.slice(from, place) + (typeof answer === 'string' ? answer : 'c');
      from = place + 1;
    }
    return this.#isDenied ? text : text + letters.slice(from);
  }

  /** Of those with `c` the first condition that does not hold. */
  get failed(): readonly Condition[] {
    return this.#answers.filter((answer) => typeof answer === 'object');
  }

  /**
   * The same in words, made anew where the answers are others than the last ones about the same statements.
   * @param tell of all statements that were looked at
   */
  told(tell: (said: Said) => PackedDocument): PackedDocument {
    const found = this.#found;
    const { name: policy } = this.policy;
    const { told } = found;
    if (told?.policy === policy && areSame(told.answers, this.#answers)) return told.document;
    const document = tell(this);
    found.told = { policy, answers: this.#answers, document };
    return document;
  }

  /** How many statements `letters` tells of. */
  get count(): number {
    const { candidates, letters } = this.#found;
    return this.#isDenied ? (candidates[this.#answers.length - 1]?.place ?? 0) + 1 : letters.length;
  }

  /** In the order of the candidates. */
  note(answer: Mismatch | Condition): void {
    this.#answers.push(answer);
  }

  /** The statement speaks about the request, and denies. */
  noteDenial(): void {
    this.note('-');
    this.#isDenied = true;
  }
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at += 1) if (some[at] !== others[at]) return false;
  return true;
}

export interface Evaluation {
  /** `none`: nothing speaks about the request. */
  readonly effect: 'deny' | 'allow' | 'none';
  /** The statement that made it so. */
  readonly by?: Spoken;
  /** How the statement that allows names the caller; absent in policies without principals. */
  readonly through?: Through;
  /** By document. */
  readonly said: readonly Said[];
}

/**
 * What documents of one kind say to a request: the first statement that denies it, else the one that allows it (of
 * several, the one that names the caller most narrowly).
 */
export function evaluate(policies: readonly NamedPolicy[], context: PolicyContext): Evaluation {
  const said: Said[] = [];
  let by: Spoken | undefined;
  let through: Through | undefined;
  for (const policy of policies) {
    const found = indexOf(policy.document).find(context.action, context.resource);
    const noted = new Said(policy, found);
    said.push(noted);
    for (const candidate of found.candidates) {
      const asked = ask(candidate, context);
      if (typeof asked === 'object' || asked === 'r' || asked === 'p') {
        noted.note(asked);
        continue;
      }
      const { statement } = candidate;
      if (statement.effect === 'Deny') {
        noted.noteDenial();
        return { effect: 'deny', by: { policy, statement }, said };
      }
      noted.note('-');
      if (by === undefined || (asked !== 'unnamed' && isNarrower(asked, through))) {
        by = { policy, statement };
        through = asked === 'unnamed' ? undefined : asked;
      }
    }
  }
  if (by === undefined) return { effect: 'none', said };
  return { effect: 'allow', by, ...(through !== undefined && { through }), said };
}

/** Why it does not speak about the request, the condition that does not hold, or how it names the caller. */
type Asked = 'r' | 'p' | Condition | Through | 'unnamed';

/** Its action fits. */
function ask({ statement, isAbout }: Candidate, context: PolicyContext): Asked {
  const { resources, principals, effect, conditions } = statement;
  if (!isAbout && resources !== undefined && !speaksOf(resources, effect, context)) return 'r';
  const through = principals && namedBy(principals, context.caller, effect);
  if (principals !== undefined && through === undefined) return 'p';
  for (const condition of conditions) {
    if (!condition.holds(context.keys)) return condition;
  }
  return through ?? 'unnamed';
}

/** What a variable without value leaves out, nobody knows: an Allow that leaves it out allows nothing. */
function speaksOf(resources: PatternSet, effect: Effect, context: PolicyContext): boolean {
  if (
    resources.not &&
    effect === 'Allow' &&
    resources.patterns.some(({ resolves }) => resolves?.(context.keys) === false)
  ) {
    return false;
  }
  return includes(resources, context.resource, context);
}

function includes({ not, patterns }: PatternSet, value: string, { keys }: PolicyContext): boolean {
  keys.spend?.(patterns.length);
  for (const pattern of patterns) {
    const { start, behind } = pattern;
    if (start !== undefined) {
      if (behind === 'nothing' ? value.length !== start.length : value.length < start.length) continue;
      if (!value.startsWith(start)) continue;
    }
    if (behind !== undefined || pattern.matches(value, keys)) return !not;
  }
  return not;
}
