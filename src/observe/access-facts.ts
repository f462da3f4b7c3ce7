/**
 * Which rule allowed a caller something, or denied it. `none`: no rule allows it. `policyWork`: it takes too long to
 * find out what policies say.
 */
export type AccessRule =
  | 'account'
  | 'bucketOwner'
  | 'objectOwner'
  | 'uploadInitiator'
  | 'aclOwner'
  | 'aclAccount'
  | 'aclAuthenticatedUsers'
  | 'aclAllUsers'
  | 'identityPolicy'
  | 'sessionPolicy'
  | 'bucketPolicy'
  | 'policyWork'
  | 'none';

export interface AccessDecision {
  readonly allowed: boolean;
  readonly rule: AccessRule;
  /** Present when policies were asked. */
  readonly reasons?: () => AccessReasons;
}

export interface AuthorizationFacts extends AccessDecision {
  /** IAM action that was asked for. */
  readonly action: string;
}

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
