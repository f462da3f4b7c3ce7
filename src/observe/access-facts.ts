import type { PackedReasons } from './packed-reasons.ts';

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
  /** Present when policies were asked. Worked out when it is looked at, which most never are. */
  readonly reasons?: PackedReasons;
}

export interface AuthorizationFacts extends AccessDecision {
  /** IAM action that was asked for. */
  readonly action: string;
}
