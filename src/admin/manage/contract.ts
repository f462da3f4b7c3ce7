/**
 * What the admin API answers, as types. It imports nothing: the command line reads it, too. Times are ISO 8601, sizes
 * bytes. `endpoints.ts` says which path answers what.
 */
export interface ShownAccount {
  readonly name: string;
  /** Absent: it is not in the operator's own files. */
  readonly canonicalId?: string;
  readonly accountNumber?: string;
  readonly displayName?: string;
  /** How many it has, those of the operator's own files included. */
  readonly users: number;
  readonly policies: number;
  readonly quota?: ShownQuota;
  /** Why it is not in force; absent: it is. */
  readonly fault?: string;
}

export interface ShownUser {
  readonly account: string;
  readonly name: string;
  /** Absent: its account is not in the operator's own files. */
  readonly arn?: string;
  /** False: it stands in the operator's own files, which the API does not write. */
  readonly managed: boolean;
  /** In the terms of the accounts file, without name and keys. */
  readonly settings: object;
  readonly keys: readonly ShownKey[];
  /** Why it is not in force, and its keys are dead; absent: it is. */
  readonly fault?: string;
}

/** A key without its secret. */
export interface ShownKey {
  readonly accessKeyId: string;
  /** Absent: it stands in the operator's own files. */
  readonly createdAt?: string;
  /** Why it is dead, though its user is in force; absent: it is as its user is. */
  readonly fault?: string;
}

/** The answer to the creation of a pair, the one time that a secret is told. */
export interface CreatedKey extends ShownKey {
  readonly secretAccessKey: string;
}

export interface ShownPolicy {
  readonly account: string;
  readonly name: string;
  readonly managed: boolean;
  /** A policy document, or its short form. */
  readonly policy: object;
  /** Why it is not in force; absent: it is. */
  readonly fault?: string;
}

export interface ManagedBucket {
  readonly name: string;
  /** Name of the owner's account; its canonical id if no account has it. */
  readonly account: string;
  readonly ownerId: string;
  readonly backend: string;
  readonly region: string;
  readonly objectLock: boolean;
  readonly versioning: 'never' | 'enabled' | 'suspended';
  readonly createdAt: string;
}

/** At least one of both. */
export interface ShownQuota {
  readonly bytes?: number;
  readonly objects?: number;
}

/** The answer to what cannot be done. */
export interface ManagementFailure {
  /** For people. */
  readonly error: string;
  /** For programs: a name of IAM's or S3's. Absent where the guard of the port answers. */
  readonly code?: string;
}
