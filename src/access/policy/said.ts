import type { Mismatch, ToldStatements } from '../../observe/packed-reasons.ts';
import type { Condition, NamedPolicy, Statement } from './document.ts';
import { type Through, isNarrower } from './principal.ts';
import type { SteadyAnswer } from './steady.ts';

/** A statement that names an action and may speak about a resource. */
export interface Candidate {
  /** In the document. */
  readonly place: number;
  readonly statement: Statement;
  /** Its resources speak about it: they need not be asked. */
  readonly isAbout: boolean;
}

/** The statements that are held against a request. */
export interface Found {
  /** In the order of the document; all others do not speak about the request. */
  readonly candidates: readonly Candidate[];
  /** What each of the document says if it is not looked at, a letter for each: `a` or `r`. */
  readonly letters: string;
  /** What they said last: most requests are answered alike. */
  said?: Said;
  /** The same for requests of which that is known before they are asked. */
  steady?: SteadyAnswer<Said>;
}

/** One statement that speaks about a request. */
export interface Spoken {
  readonly policy: NamedPolicy;
  readonly statement: Statement;
}

/**
 * What a statement whose action fits answers: why it does not speak about the request, the condition that does not
 * hold, or how it names the caller.
 */
export type Answer = 'r' | 'p' | Condition | Through | 'unnamed';

/**
 * What the statements of one document said. Most requests are answered alike: they share it, so that a decision leaves
 * little behind. Put into letters when somebody asks: most are never asked.
 */
export class Said {
  readonly policy: NamedPolicy;
  /** Of the candidates that were asked, in their order; a statement that denies is the last. */
  readonly answers: readonly Answer[];
  readonly effect: Evaluation['effect'];
  readonly by: Spoken | undefined;
  readonly through: Through | undefined;
  readonly #found: Found;
  #alone: Evaluation | undefined;
  #told: ToldStatements | undefined;

  constructor(policy: NamedPolicy, found: Found, answers: readonly Answer[]) {
    this.policy = policy;
    this.answers = answers;
    this.#found = found;
    const decided = decidedBy(found, answers);
    this.effect = decided === undefined ? 'none' : decided.statement.effect === 'Deny' ? 'deny' : 'allow';
    this.by = decided && { policy, statement: decided.statement };
    this.through = this.effect === 'allow' ? decided?.through : undefined;
  }

  /** What it comes to where no other document is asked. */
  get alone(): Evaluation {
    return (this.#alone ??= evaluationOf(this, [this]));
  }

  /** A letter (`MISMATCHES`) for each statement, in order; nothing behind one that denies. */
  get letters(): string {
    const { candidates, letters } = this.#found;
    let [text, from] = ['', 0];
    for (const [at, answer] of this.answers.entries()) {
      const place = candidates[at]?.place ?? from;
      text += letters.slice(from, place) + letterOf(answer);
      from = place + 1;
    }
    return this.effect === 'deny' ? text : text + letters.slice(from);
  }

  /** Of those with `c` the first condition that does not hold. */
  get failed(): readonly Condition[] {
    return this.answers.filter((answer) => typeof answer === 'object');
  }

  /** The same in words, made once. */
  told(tell: (said: Said) => ToldStatements): ToldStatements {
    return (this.#told ??= tell(this));
  }

  /** How many statements `letters` tells of. */
  get count(): number {
    const { candidates, letters } = this.#found;
    return this.effect === 'deny' ? (candidates[this.answers.length - 1]?.place ?? 0) + 1 : letters.length;
  }
}

function letterOf(answer: Answer): Mismatch {
  if (typeof answer === 'object') return 'c';
  return answer === 'r' || answer === 'p' ? answer : '-';
}

export function speaks(answer: Answer): answer is Through | 'unnamed' {
  return letterOf(answer) === '-';
}

interface Decided {
  readonly statement: Statement;
  readonly through: Through | undefined;
}

/** The first statement that denies, else the one that allows and names the caller most narrowly. */
function decidedBy({ candidates }: Found, answers: readonly Answer[]): Decided | undefined {
  let decided: Decided | undefined;
  for (const [at, answer] of answers.entries()) {
    const statement = candidates[at]?.statement;
    if (statement === undefined || !speaks(answer)) continue;
    const through = answer === 'unnamed' ? undefined : answer;
    if (statement.effect === 'Deny') return { statement, through };
    if (decided === undefined || (through !== undefined && isNarrower(through, decided.through))) {
      decided = { statement, through };
    }
  }
  return decided;
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

export function evaluationOf(
  { effect, by, through }: Pick<Said, 'effect' | 'by' | 'through'>,
  said: readonly Said[],
): Evaluation {
  return { effect, ...(by !== undefined && { by }), ...(through !== undefined && { through }), said };
}
