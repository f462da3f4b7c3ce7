/**
 * What `GET /api/lifecycle` answers. It imports nothing, so that code for browsers can import it. Times are ISO 8601.
 * Failures are `{ "error": "..." }` with a status of 4xx or 5xx.
 */
export interface LifecycleList {
  /** When the backends were asked. */
  readonly askedAt: string;
  /** Over which a pass of lifecycle rules has been, by name. */
  readonly buckets: readonly BucketLifecycle[];
}

/** What the last pass over a bucket has come to, whichever process made it. */
export interface BucketLifecycle {
  readonly name: string;
  readonly backend: string;
  /** Name of the owner's account; its canonical id if there is no account of that id. */
  readonly account: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** What was due under all rules together, and what became of it. */
  readonly due: number;
  readonly done: number;
  /** Object lock holds them. */
  readonly locked: number;
  /** Changed or gone while the pass ran. */
  readonly changed: number;
  /** Their bytes cannot be brought into the class that a rule names. */
  readonly unmovable: number;
  readonly failed: number;
  /** Since when the oldest of what was left has been due; absent: nothing was left. */
  readonly oldestDue?: string;
}
