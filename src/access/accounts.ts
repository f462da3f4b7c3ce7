import type { Quota } from '../manifest/index.ts';
import type { Account, Permissions, Tags } from './identities/account.ts';
import type { IdentityProvider, Rates, Role } from './identities/identities.ts';
import type { NamedPolicy } from './policy/document.ts';

export type { Account, Permissions, Tags } from './identities/account.ts';

/** Who acts within an account: a user, or a session of a role. Shows up as Initiator of uploads. */
export interface AccountUser {
  /** Of a user its name (`aws:username`); of a session of a role `role/session`. */
  readonly name: string;
  /** `arn:aws:iam::<number>:user/<name>`, or `arn:aws:sts::<number>:assumed-role/<role>/<session>`. */
  readonly arn: string;
  /** `aws:userid`: `AIDA...`, or `AROA...:<session>`. */
  readonly id?: string;
  readonly tags?: Tags;
  /** Absent: none. */
  readonly permissions?: Permissions;
}

/** What temporary credentials add to the identity behind them. */
export interface Session {
  /** One of them must allow what the identity itself may do; absent: nothing is narrowed. */
  readonly policies?: readonly NamedPolicy[];
  /** The role that was assumed; absent: GetSessionToken. */
  readonly role?: { readonly name: string; readonly arn: string };
  /** Issuer of the token that a role was assumed with (`aws:FederatedProvider`). */
  readonly provider?: string;
  /** Tags of the session alone, and which of them sessions made from it keep. */
  readonly tags?: Tags;
  readonly transitive?: readonly string[];
  /** `aws:SourceIdentity`. */
  readonly sourceIdentity?: string;
  /** `aws:TokenIssueTime`, milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export type Principal =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'account';
      readonly account: Account;
      /** Absent: the account itself (its root), which may do everything that the account may. */
      readonly user?: AccountUser;
      /** Present with temporary credentials. */
      readonly session?: Session;
      readonly accessKeyId: string;
    };

/** What a caller may do before the policies of a session restrict it. */
export function permissionsOf({ user }: Extract<Principal, { kind: 'account' }>): Permissions {
  return user === undefined ? 'account' : (user.permissions ?? []);
}

export interface Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly account: Account;
  readonly user?: AccountUser;
  readonly session?: Session;
}

/** A user with what sessions ask of it. */
export interface DirectoryUser {
  readonly user: AccountUser;
  readonly account: Account;
  /** Sessions made before are refused; milliseconds since 1970. */
  readonly notBefore?: number | undefined;
}

/** Look-ups over all accounts; a new directory takes the place of the old one when the file changes. */
export interface AccountDirectory {
  readonly byAccessKey: (accessKeyId: string) => Credential | undefined;
  byCanonicalId(id: string): Account | undefined;
  byEmail(email: string): readonly Account[];
  byName(name: string): Account | undefined;
  /** By the twelve digits that ARNs have. */
  byNumber(accountNumber: string): Account | undefined;
  /** All credentials of all accounts, for diagnoses. */
  credentials(): Iterable<Credential>;
  /** By ARN. */
  user(arn: string): DirectoryUser | undefined;
  role(arn: string): Role | undefined;
  /** A named policy: `arn:aws:iam::<number>:policy/<name>`. */
  policy(arn: string): NamedPolicy | undefined;
  provider(arn: string): IdentityProvider | undefined;
  /** By canonical id of an account, or ARN of a user or role. */
  ratesOf(id: string): Rates | undefined;
  /** By canonical id of an account. */
  quotaOf(id: string): Quota | undefined;
  /** All named policies of all accounts. */
  policies(): Iterable<NamedPolicy>;
}
