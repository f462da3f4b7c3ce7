import type { Mismatch, PackedDocument, ToldStatements } from '../../observe/packed-reasons.ts';
import type { Condition, NamedPolicy, Statement } from './document.ts';
import { type Through, isNarrower } from './principal.ts';
import type { SteadyAnswer } from './steady.ts';

/** A statement that names the action, and whose resources may take in the resource. */
export interface Candidate {
  /** Its place in the document, from 0. */
  readonly place: number;
  readonly statement: Statement;
  /** Its resources are known to take in the resource, so they are not asked again. */
  readonly isAbout: boolean;
}

/** The statements of a document that one action and resource are checked against. */
export interface Found {
  /** In the order of the document. No other statement of it can apply to the request. */
  readonly candidates: readonly Candidate[];
  /**
   * A letter for each statement of the document, with the reason why it is no candidate: `a` (another action) or `r`
   * (another resource).
   */
  readonly letters: string;
  /** Their answers to the last request; most requests get the same. */
  said?: Said;
  /** The same, for requests whose answers are known without asking. */
  steady?: SteadyAnswer<Said>;
}

/** A statement that applies to a request, with the policy that it stands in. */
export interface Spoken {
  readonly policy: NamedPolicy;
  readonly statement: Statement;
}

/**
 * The answer of one candidate. It does not apply because of the resource (`r`), the principal (`p`) or a condition, or
 * it applies, and then the answer says how it names the caller (`unnamed` where policies have no principals).
 */
export type Answer = 'r' | 'p' | Condition | Through | 'unnamed';

/**
 * The answers of one document to a request. Requests with the same answers share one object, so that the decisions that
 * the journal keeps take little memory. Letters and words are made only when somebody looks.
 */
export class Said {
  readonly policy: NamedPolicy;
  /** Answers of the candidates that were asked, in their order. Nothing is asked behind a statement that denies. */
  readonly answers: readonly Answer[];
  readonly effect: Evaluation['effect'];
  readonly by: Spoken | undefined;
  readonly through: Through | undefined;
  readonly #found: Found;
  #alone: Evaluation | undefined;
  #packed: { readonly shown: number; readonly document: PackedDocument } | undefined;
  #told: ToldStatements | undefined;
  #toldInVain: ToldStatements | undefined;

  constructor(policy: NamedPolicy, found: Found, answers: readonly Answer[]) {
    this.policy = policy;
    this.answers = answers;
    this.#found = found;
    const decided = decidedBy(found, answers);
    this.effect = decided === undefined ? 'none' : decided.statement.effect === 'Deny' ? 'deny' : 'allow';
    this.by = decided && { policy, statement: decided.statement };
    this.through = this.effect === 'allow' ? decided?.through : undefined;
  }

  /** The evaluation where this is the only document of its side. */
  get alone(): Evaluation {
    return (this.#alone ??= evaluationOf(this, [this]));
  }

  /** A letter (`MISMATCHES`) for each statement of the document, up to one that denies. */
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

  /** For each statement with the letter `c`, the first condition that does not hold. */
  get failed(): readonly Condition[] {
    return this.answers.filter((answer) => typeof answer === 'object');
  }

  /** The answers in little, made once. @param shown how many letters of them */
  packed(shown: number, pack: (said: Said, shown: number) => PackedDocument): PackedDocument {
    if (this.#packed?.shown !== shown) this.#packed = { shown, document: pack(this, shown) };
    return this.#packed.document;
  }

  /**
   * What is told of a decision for which no other document was asked, made once.
   * @param by the statement that decided; undefined: none did, whatever this document says
   */
  told(
    by: Spoken | undefined,
    tell: (said: readonly Said[], by: Spoken | undefined) => ToldStatements,
  ): ToldStatements {
    if (by === undefined) return (this.#toldInVain ??= tell([this], by));
    return (this.#told ??= tell([this], by));
  }

  /** How many letters `letters` has. */
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
  /** `none`: no statement applies to the request. */
  readonly effect: 'deny' | 'allow' | 'none';
  /** The statement that decided. */
  readonly by?: Spoken;
  /** How the statement that allows names the caller; absent in policies without principals. */
  readonly through?: Through;
  /** The answers of each document that was asked. */
  readonly said: readonly Said[];
}

export function evaluationOf(
  { effect, by, through }: Pick<Said, 'effect' | 'by' | 'through'>,
  said: readonly Said[],
): Evaluation {
  return { effect, ...(by !== undefined && { by }), ...(through !== undefined && { through }), said };
}
