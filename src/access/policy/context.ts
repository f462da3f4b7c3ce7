/**
 * What a request says for conditions and variables, by the name of the key: lower case up to the first slash, and as it
 * is written behind it (`aws:sourceip`, `s3:existingobjecttag/Team`). Undefined: the request has no such key. A list is
 * a key with several values, even if there is one.
 */
export interface ConditionKeys {
  get(key: string): string | readonly string[] | undefined;
  /** Notes work in proportion to a value of the request; absent: nobody counts. @throws TooMuchWork */
  spend?(steps: number): void;
}

/** Who asks, in the words of policies. */
export interface PolicyCaller {
  /** 12 digits; absent: an anonymous caller, or a service. */
  readonly accountNumber?: string;
  /** Of the account. */
  readonly canonicalId?: string;
  /**
   * The ARNs the caller goes by, the narrowest first: that of a user; of a session, and the role it was made from; of
   * the root of an account. Empty: anonymous.
   */
  readonly arns: readonly string[];
  /** The account itself. */
  readonly isRoot: boolean;
  /** ARN of the identity provider, of web identities that ask for a role and of the sessions that they get. */
  readonly provider?: string;
}

export const ANONYMOUS_CALLER: PolicyCaller = Object.freeze({ arns: [], isRoot: false });

/** What many requests have in common, for as long as somebody sends them over one connection. */
export interface SteadyFacts {
  /** By identity: accounts that are read anew are others. Undefined: nobody. */
  readonly account: object | undefined;
  readonly user: object | undefined;
  /** Credentials that each request brings anew, and that say more than whose they are. */
  readonly isTemporary: boolean;
  readonly clientAddress: string | undefined;
  readonly scheme: string;
  readonly tlsVersion: string | undefined;
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** One question to policies. What the statements do not ask for need not be made. */
export interface PolicyContext {
  readonly caller: PolicyCaller;
  /** E.g. `s3:GetObject`. */
  readonly action: string;
  /** ARN, e.g. `arn:aws:s3:::bucket/key`. */
  readonly resource: string;
  readonly keys: ConditionKeys;
  /** Absent: other questions are answered otherwise, whatever they have in common. */
  readonly steady?: SteadyFacts | undefined;
}

export const NO_KEYS: ConditionKeys = Object.freeze({ get: () => undefined });

/** @param key as a policy has it @returns as `ConditionKeys` looks it up */
export function lookupName(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key.toLowerCase() : key.slice(0, slash).toLowerCase() + key.slice(slash);
}
