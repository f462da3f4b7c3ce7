import type { NamedPolicy } from '../policy/document.ts';

/**
 * One account: the unit that owns buckets and objects. From the configuration; immutable, replaced as a whole on
 * reload.
 */
export interface Account {
  readonly name: string;
  /** 64 hex digits by convention of AWS; what the configuration says, or made of the name. */
  readonly canonicalId: string;
  readonly displayName: string;
  readonly email: string;
  /** 12 digits; what `x-amz-expected-bucket-owner` is compared with. */
  readonly accountNumber: string;
}

/**
 * What an identity may do by itself: whatever its account may (`account`), or what these documents say; none of them:
 * nothing.
 */
export type Permissions = 'account' | readonly NamedPolicy[];

/** Values of `aws:PrincipalTag/<name>`. */
export type Tags = Readonly<Record<string, string>>;
