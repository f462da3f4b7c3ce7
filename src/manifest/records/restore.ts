import type { VersionToken } from './version-token.ts';

/** S3's words for how soon a restore is wanted, the soonest first. */
export const RETRIEVAL_TIERS = ['Expedited', 'Standard', 'Bulk'] as const;
export type RetrievalTier = (typeof RETRIEVAL_TIERS)[number];

/** What a client asks of a restore. */
export interface RestoreRequest {
  /** How long the bytes shall be readable. */
  readonly days: number;
  readonly tier: RetrievalTier;
}

/** A restore of an archived object, as its record says it. Times in milliseconds. */
export interface Restore extends RestoreRequest {
  readonly requestedAt: number;
  /** Names the copies of the pieces that can be read; absent: the pieces themselves can. */
  readonly token?: VersionToken;
  /** The bytes can be read until then; absent: they cannot yet. */
  readonly until?: number;
}

export type RestoreCode = readonly [RetrievalTier, number, number, VersionToken | null, number | null];

const DAY_MS = 86_400_000;
/** No cloud takes longer to bring bytes back. A restore that takes longer has failed, and may be asked for again. */
const LOST_AFTER_MS = 3 * DAY_MS;

/** The midnight up to which bytes stay readable that are brought back now. */
export function restoredUntil(now: number, days: number): number {
  return Math.ceil((now + days * DAY_MS) / DAY_MS) * DAY_MS;
}

export function isRestored(restore: Restore | undefined, now: number): boolean {
  return restore?.until !== undefined && now < restore.until;
}

/** The bytes are on their way. */
export function isRestoring(restore: Restore | undefined, now: number): boolean {
  return restore !== undefined && restore.until === undefined && now < restore.requestedAt + LOST_AFTER_MS;
}

export function encodeRestore({ tier, days, requestedAt, token, until }: Restore): RestoreCode {
  return [tier, days, requestedAt, token ?? null, until ?? null];
}

export function decodeRestore([tier, days, requestedAt, token, until]: RestoreCode): Restore {
  return {
    tier,
    days,
    requestedAt,
    ...(token !== null && { token }),
    ...(until !== null && { until }),
  };
}
