/** One account: the unit that owns buckets and objects. From the configuration; immutable, replaced as a whole on reload. */
export interface Account {
  readonly name: string;
  /** 64 hex digits by convention of AWS; whatever the configuration says. */
  readonly canonicalId: string;
  readonly displayName: string;
  readonly email: string;
  /** 12 digits; what `x-amz-expected-bucket-owner` is compared with. */
  readonly accountNumber: string;
}

/** A sub-user acts with the rights of its account; it shows up as Initiator of uploads. */
export interface AccountUser {
  readonly name: string;
  readonly arn: string;
}

export type Principal =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'account';
      readonly account: Account;
      /** Absent when the key belongs to the account itself. */
      readonly user?: AccountUser;
      readonly accessKeyId: string;
    };

export interface Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly account: Account;
  readonly user?: AccountUser;
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
