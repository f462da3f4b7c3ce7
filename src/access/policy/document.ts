import type { ConditionKeys } from './context.ts';

/** Where a policy stands; decides which elements it has and with which sentences faults are told. */
export type PolicyKind = 'identity' | 'resource' | 'session' | 'trust';

export type Effect = 'Allow' | 'Deny';

/** A pattern with `*` and `?`, and variables where the version of its document knows them. */
export interface Pattern {
  /** As written. */
  readonly text: string;
  /** @param keys what its variables stand for; a variable without a value matches nothing */
  matches(value: string, keys: ConditionKeys): boolean;
  /** Whether all its variables have a value; absent: it has none. */
  readonly resolves?: (keys: ConditionKeys) => boolean;
}

/** `Action` or `Resource`, or, with `not`, the opposite of what it lists. */
export interface PatternSet {
  readonly not: boolean;
  readonly patterns: readonly Pattern[];
}

/** One entry of a `Principal`. */
export type PrincipalEntry =
  | { readonly kind: 'anyone' }
  /** Twelve digits, however the account was written. */
  | { readonly kind: 'account'; readonly number: string }
  | { readonly kind: 'canonicalUser'; readonly id: string }
  | { readonly kind: 'arn'; readonly arn: string }
  /** `*`: any provider. */
  | { readonly kind: 'federated'; readonly provider: string }
  | { readonly kind: 'service'; readonly name: string };

export interface PrincipalSet {
  readonly not: boolean;
  readonly entries: readonly PrincipalEntry[];
}

/** One operator and one key of a `Condition`. */
export interface PolicyCondition {
  /** As written, with quantifier and `IfExists`. */
  readonly operator: string;
  /** As written. */
  readonly key: string;
  readonly values: readonly string[];
  /** Operator and key, for whom asks why. */
  readonly label: string;
  /** Lower case up to the first slash: what stands behind it names a tag. */
  readonly lookup: string;
  holds(keys: ConditionKeys): boolean;
}

export interface Statement {
  /** Its place in the document, from 0. */
  readonly index: number;
  readonly sid?: string;
  readonly effect: Effect;
  /** In policies of resources and trust policies only. */
  readonly principals?: PrincipalSet;
  readonly actions: PatternSet;
  /** Absent in trust policies. */
  readonly resources?: PatternSet;
  readonly conditions: readonly PolicyCondition[];
}

/** A policy as it is evaluated; immutable. */
export interface PolicyDocument {
  readonly version: '2012-10-17' | '2008-10-17';
  readonly id?: string;
  readonly statements: readonly Statement[];
  /** The keys that its conditions and variables name, as they are looked up. */
  readonly keys: readonly string[];
}

/** A document with the name under which it is told of: that of a managed policy, `bucket policy`, `session policy`. */
export interface NamedPolicy {
  readonly name: string;
  readonly document: PolicyDocument;
}
