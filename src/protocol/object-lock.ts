/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html */
export const LOCK_MODES = ['GOVERNANCE', 'COMPLIANCE'] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** How long new objects of a bucket are kept unless they say otherwise: days or years, never both. */
export type DefaultRetention = { readonly mode: LockMode } & (
  | { readonly days: number; readonly years?: never }
  | { readonly years: number; readonly days?: never }
);

/** Object lock of a bucket; that there is one says that it is on, and it cannot be turned off again. */
export interface BucketLock {
  readonly default?: DefaultRetention;
}

export interface Retention {
  readonly mode: LockMode;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What keeps a version from being deleted. */
export interface ObjectLock {
  readonly retention?: Retention;
  /** Absent: never set. */
  readonly legalHold?: boolean;
}
