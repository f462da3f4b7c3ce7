import { isCalendarDay } from './http-date.ts';

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

/** Retention by the bucket's default, of an object that is made now. */
export function retentionByDefault({ mode, days, years }: DefaultRetention, now: number): Retention {
  const until = new Date(now);
  if (years !== undefined) until.setUTCFullYear(until.getUTCFullYear() + years);
  else until.setUTCDate(until.getUTCDate() + days);
  return { mode, until: until.getTime() };
}

/** When a question about a lock is asked, and whether who asks may, and wants to, get round governance. */
interface LockQuestion {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly bypass: boolean;
}

/** Whether a version must stay. A legal hold ends by being taken off only; nothing gets round compliance. */
export function isKept({ retention, legalHold }: ObjectLock, question: LockQuestion): boolean {
  return legalHold === true || holdsFast(retention, question);
}

/** Whether retention may become another, or none: what holds is made longer, in its mode, and nothing else. */
export function mayBecome(
  before: Retention | undefined,
  after: Retention | undefined,
  question: LockQuestion,
): boolean {
  if (before === undefined || !holdsFast(before, question)) return true;
  return after?.mode === before.mode && after.until >= before.until;
}

/** Whether a version may be kept by the one lock that the other would let go. */
export function keepsMore(lock: ObjectLock, { retention: other, legalHold }: ObjectLock): boolean {
  if (lock.legalHold === true && legalHold !== true) return true;
  const { retention } = lock;
  return retention !== undefined && (retention.mode !== other?.mode || retention.until > other.until);
}

function holdsFast(retention: Retention | undefined, { now, bypass }: LockQuestion): boolean {
  if (retention === undefined || retention.until <= now) return false;
  return !(bypass && retention.mode === 'GOVERNANCE');
}

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Date and time with a zone, cut to the millisecond.
 * @returns milliseconds since the epoch, undefined for anything else
 */
export function parseRetainUntil(text: string): number | undefined {
  const time = ISO_8601.test(text) && isCalendarDay(text.slice(0, 10)) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** ISO 8601, in UTC and with milliseconds. */
export function formatRetainUntil({ until }: Retention): string {
  return new Date(until).toISOString();
}
