import type { ResourceArn } from './resource-arn.ts';

/** A statement of a policy that was asked about a request. */
export interface StatementFacts {
  /** Name of the document. */
  readonly policy: string;
  /** Its Sid, else its place, counted from 1. */
  readonly statement: string;
  readonly effect: 'Allow' | 'Deny';
  /** Why it does not speak about the request; absent: it does. */
  readonly mismatch?: 'principal' | 'action' | 'resource' | 'condition';
  /** Operator and key of the first condition that does not hold; values may be secrets, as those of `aws:Referer`. */
  readonly condition?: string;
}

/** Why policies decided as they did. */
export interface AccessReasons {
  /** ARN of what was asked for. */
  readonly resource: string;
  /** The statement that decided; absent: none did. */
  readonly by?: StatementFacts;
  /** Those that were looked at, in order; at most a hundred. */
  readonly looked: readonly StatementFacts[];
  /** Looked at and not in `looked`. */
  readonly omitted?: number;
  /**
   * What would let the request be, as statements of JSON, each for the document that lacks it. Absent: it was let be,
   * or a denial stands before it.
   */
  readonly remedies?: readonly { readonly document: string; readonly statement: string }[];
}

/** What one document said to a request, in little: a journal has one for every request. */
export interface PackedDocument {
  /** Name of the document. */
  readonly policy: string;
  /** Its statements, `packStatements` of them: the same text for all requests. */
  readonly statements: string;
  /** A letter for each statement that was looked at, in order: `MISMATCHES`. */
  readonly said: string;
  /** Operators and keys of the conditions that do not hold, in the order of their statements. */
  readonly conditions?: readonly string[];
}

/** What statements said to a request. */
export interface ToldStatements {
  /** Places of the document and of its statement, from 0; absent: none decided. */
  readonly by?: readonly [document: number, statement: number];
  readonly documents: readonly PackedDocument[];
  readonly omitted?: number;
}

/** `AccessReasons` in little. */
export interface PackedReasons {
  readonly resource: ResourceArn;
  /** The same object for requests that were told the same, if but one document was asked. */
  readonly told: ToldStatements;
  readonly remedies?: AccessReasons['remedies'] | undefined;
}

/** Why a statement does not speak about a request; `-`: it does. */
const MISMATCHES = { '-': undefined, a: 'action', r: 'resource', p: 'principal', c: 'condition' } as const;
export type Mismatch = keyof typeof MISMATCHES;

/** No Sid has it. */
const BETWEEN = '\u00b6';
const EFFECTS = { A: 'Allow', D: 'Deny' } as const;
const MAX_NAME = 128;

/** Names and effects, in the order of the statements. */
export function packStatements(statements: readonly Pick<StatementFacts, 'statement' | 'effect'>[]): string {
  return statements.map(({ statement, effect }) => effect.charAt(0) + statement.slice(0, MAX_NAME)).join(BETWEEN);
}

/** Of packed statements the first ones. */
export function firstStatements(statements: string, count: number): string {
  return statements.split(BETWEEN).slice(0, count).join(BETWEEN);
}

/** The same, put into words. */
export function explainedReasons({ resource, told, remedies }: PackedReasons): AccessReasons {
  const { by, documents, omitted } = told;
  const looked = documents.map(statementsOf);
  const decided = by && looked[by[0]]?.[by[1]];
  return {
    resource: resource.text,
    ...(decided !== undefined && { by: decided }),
    looked: looked.flat(),
    ...(omitted !== undefined && { omitted }),
    ...(remedies !== undefined && { remedies }),
  };
}

function statementsOf({ policy, statements, said, conditions = [] }: PackedDocument): StatementFacts[] {
  const names = statements.split(BETWEEN);
  let failed = 0;
  return Array.from(said, (letter, at): StatementFacts => {
    const mismatch = MISMATCHES[letter as Mismatch];
    const name = names[at] ?? '';
    const condition = mismatch === 'condition' ? conditions[failed++] : undefined;
    return {
      policy,
      statement: name.slice(1),
      effect: EFFECTS[name.charAt(0) as keyof typeof EFFECTS],
      ...(mismatch !== undefined && { mismatch }),
      ...(condition !== undefined && { condition }),
    };
  });
}
