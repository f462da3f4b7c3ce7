/**
 * The values of a request's condition keys, for conditions and variables. Keys are in lower case up to the first slash
 * and as written behind it (`aws:sourceip`, `s3:existingobjecttag/Team`). Undefined: the request does not have the key.
 * A list is a key that can have several values, even if it has one.
 */
export interface ConditionKeys {
  get(key: string): string | readonly string[] | undefined;
  /**
   * Whether the request has the key with a value that no condition can judge; absent: it has none. A statement that
   * names such a key lets nothing in.
   */
  isUnusable?(key: string): boolean;
  /** Counts work that grows with a value of the request; absent: nobody counts. @throws TooMuchWork */
  spend?(steps: number): void;
}

/** The caller, in the terms of policies. */
export interface PolicyCaller {
  /** 12 digits; absent: an anonymous caller, or a service. */
  readonly accountNumber?: string;
  /** Canonical id of the account. */
  readonly canonicalId?: string;
  /**
   * The ARNs the caller goes by, the narrowest first: that of a user; of a session, and the role it was made from; of
   * the root of an account. Empty: anonymous.
   */
  readonly arns: readonly string[];
  /** The caller is the account itself. */
  readonly isRoot: boolean;
  /** The caller is a service of the gateway's own, which acts for the owner of a bucket: its service principal. */
  readonly service?: string;
  /** ARN of the identity provider: for a web identity that asks for a role, and for the session that it gets. */
  readonly provider?: string;
}

export const ANONYMOUS_CALLER: PolicyCaller = Object.freeze({ arns: [], isRoot: false });

/** No resource in particular, or any. */
export const ANY_RESOURCE = 'arn:aws:s3:::*';

/** One question to policies. */
export interface PolicyContext {
  readonly caller: PolicyCaller;
  /** E.g. `s3:GetObject`. */
  readonly action: string;
  /** ARN. */
  readonly resource: string;
  readonly keys: ConditionKeys;
}

export const NO_KEYS: ConditionKeys = Object.freeze({ get: () => undefined });

/** @param key as a policy writes it @returns as `ConditionKeys` looks it up */
export function lookupName(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key.toLowerCase() : key.slice(0, slash).toLowerCase() + key.slice(slash);
}
