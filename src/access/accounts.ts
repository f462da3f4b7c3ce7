/** One account: the unit that owns buckets and objects. From the configuration; immutable, replaced as a whole on reload. */
export interface Account {
  readonly name: string;
  /** 64 hex digits by convention of AWS; what the configuration says, or made of the name. */
  readonly canonicalId: string;
  readonly displayName: string;
  readonly email: string;
  /** 12 digits; what `x-amz-expected-bucket-owner` is compared with. */
  readonly accountNumber: string;
}

/** A policy document as it is attached to an identity. */
export interface AttachedPolicy {
  /** Where it stands, for those who ask why: `main/policies/reporting`, `main/users/alice`. */
  readonly name: string;
  /** JSON. */
  readonly text: string;
}

/** What an identity may do by itself: whatever its account may (`account`), or what these documents say; none of them: nothing. */
export type Permissions = 'account' | readonly AttachedPolicy[];

/** Values of `aws:PrincipalTag/<name>`. */
export type Tags = Readonly<Record<string, string>>;

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
  readonly policies?: readonly AttachedPolicy[];
  /** The role that was assumed; absent: GetSessionToken. */
  readonly role?: { readonly name: string; readonly arn: string };
  /** Issuer of the token that a role was assumed with (`aws:FederatedProvider`). */
  readonly provider?: string;
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

export interface Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly account: Account;
  readonly user?: AccountUser;
  readonly session?: Session;
}

/** Look-ups over all accounts; a new directory takes the place of the old one when the file changes. */
export interface AccountDirectory {
  byAccessKey(accessKeyId: string): Credential | undefined;
  byCanonicalId(id: string): Account | undefined;
  byEmail(email: string): readonly Account[];
  byName(name: string): Account | undefined;
  /** All credentials of all accounts, for diagnoses. */
  credentials(): Iterable<Credential>;
}
