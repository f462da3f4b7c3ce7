/**
 * What `GET /api/usage` answers. It imports nothing, so that code for browsers can import it. Times are ISO 8601, sizes
 * bytes. Failures are `{ "error": "..." }` with a status of 4xx or 5xx.
 */
export interface UsageList {
  /** When the backends were asked. */
  readonly askedAt: string;
  /** Of which something is known, by name. */
  readonly buckets: readonly BucketUsage[];
  /** That own such buckets, by name. */
  readonly accounts: readonly AccountUsage[];
}

export interface BucketUsage {
  readonly name: string;
  readonly backend: string;
  /** Name of the owner's account; its canonical id if there is no account of that id. */
  readonly account: string;
  /** When the pass began that has counted it; absent: none has. */
  readonly at?: string;
  /** STANDARD first; only those that something is in. */
  readonly classes: readonly ShownClassUsage[];
  readonly markers: number;
  readonly uploads: { readonly count: number; readonly parts: number; readonly bytes: number };
  /** All versions, and their bytes with those of parts: what a quota is about. */
  readonly objects: number;
  readonly bytes: number;
  readonly quota?: QuotaUsage;
}

interface ShownClassUsage {
  readonly storageClass: string;
  readonly currentObjects: number;
  readonly currentBytes: number;
  readonly noncurrentObjects: number;
  readonly noncurrentBytes: number;
}

export interface AccountUsage {
  readonly name: string;
  /** How many of its buckets are counted. */
  readonly buckets: number;
  readonly objects: number;
  readonly bytes: number;
  /** Of the oldest count. */
  readonly at?: string;
  readonly quota?: QuotaUsage;
}

export interface QuotaUsage {
  /** The limits; absent: none. */
  readonly bytes?: number;
  readonly objects?: number;
  /** What the pass has counted, and what gateways have noted since. */
  readonly usedBytes: number;
  readonly usedObjects: number;
}
