const HOUR_MS = 3_600_000;

/**
 * Nothing that no head names goes before it is this old: longer than any writer takes between the last write of
 * a private blob and the head that names it (docs/decisions/0002-commit-protocol.md).
 */
export const GRACE_MS = 24 * HOUR_MS;

/** What one sweep may do, and when. Times in milliseconds. */
export interface SweepSettings {
  /** Least age of what is removed; `GRACE_MS` or more, but for tests. */
  readonly graceMs: number;
  /** Age from which work that a request left behind the answer is done in its place: settling, logs, voids. */
  readonly settleAfterMs: number;
  /** Least age of what says that an upload was completed; a repeated Complete is answered as long as it is there. */
  readonly tombstoneMs: number;
  /** How long a version whose head a tool of the cloud may have overwritten is kept after it was first found. */
  readonly keepLostMs: number;
  /** Open uploads initiated longer ago are aborted; absent: none. */
  readonly uploadsOlderThanMs?: number;
  /** Change nothing, say what would be done. */
  readonly dryRun: boolean;
  /** Makes lost versions part of their keys' histories again instead of waiting for an operator to do it. */
  readonly recoverLost: boolean;
  /** Only the bucket of this name. Leftovers that cannot be told to belong to it are left alone then. */
  readonly bucket?: string;
  /** Backend calls under way at a time. */
  readonly concurrency: number;
}

export const SWEEP_DEFAULTS: SweepSettings = {
  graceMs: GRACE_MS,
  settleAfterMs: HOUR_MS / 6,
  tombstoneMs: GRACE_MS,
  keepLostMs: 7 * GRACE_MS,
  dryRun: false,
  recoverLost: false,
  concurrency: 16,
};
