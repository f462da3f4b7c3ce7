import { type ActiveRule, type DayLength, dueAfter, momentOf } from './due.ts';
import type { Lifecycle } from './lifecycle.ts';

const STANDARD = 'STANDARD';
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE'];
const FROM_STANDARD = ['STANDARD_IA', 'INTELLIGENT_TIERING', 'ONEZONE_IA', 'GLACIER_IR', ...ARCHIVES];

/**
 * Where objects of a class may move to: never back to a warmer one.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
 */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  [STANDARD]: FROM_STANDARD,
  REDUCED_REDUNDANCY: FROM_STANDARD,
  STANDARD_IA: ['INTELLIGENT_TIERING', 'ONEZONE_IA', 'GLACIER_IR', ...ARCHIVES],
  INTELLIGENT_TIERING: ['ONEZONE_IA', 'GLACIER_IR', ...ARCHIVES],
  ONEZONE_IA: ARCHIVES,
  GLACIER_IR: ARCHIVES,
  GLACIER: ['DEEP_ARCHIVE'],
};

/**
 * If several moves are due at once, the first of these is made.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-conflicts.html
 */
const PREFERENCE = ['DEEP_ARCHIVE', 'GLACIER', 'INTELLIGENT_TIERING', 'GLACIER_IR', 'ONEZONE_IA', 'STANDARD_IA'];

/** Bytes below which S3 moves objects nowhere by default, because that costs more than it saves. */
const SMALL = 128 * 1024;

interface MovedObject {
  /** Bytes. */
  readonly size: number;
  /** Absent: STANDARD. */
  readonly storageClass?: string | undefined;
}

/** Whether a rule may move the object to the class: from its own class, and at its size. */
export function mayMove(
  { minimumSize }: Pick<Lifecycle, 'minimumSize'>,
  { sizeAbove, sizeBelow }: Pick<ActiveRule, 'sizeAbove' | 'sizeBelow'>,
  { size, storageClass = STANDARD }: MovedObject,
  to: string,
): boolean {
  if (MOVES[storageClass]?.includes(to) !== true) return false;
  // A rule that says a size means it.
  if (size >= SMALL || sizeAbove !== undefined || sizeBelow !== undefined) return true;
  return minimumSize === 'varies_by_storage_class' && ARCHIVES.includes(to);
}

/** Sorts classes by preference, what is moved to first at the front. */
export function byPreference(one: string, other: string): number {
  return PREFERENCE.indexOf(one) - PREFERENCE.indexOf(other);
}

/** A move that a rule wants, and when it is due; milliseconds since the epoch. */
interface Move {
  readonly at: number;
  readonly storageClass: string;
}

/** Moves of a current version. @param mtime its Last-Modified */
export function movesOfCurrent({ rule }: ActiveRule, mtime: number, length: DayLength): Move[] {
  return (rule.transitions ?? []).flatMap(({ storageClass, ...moment }) => {
    const at = momentOf(moment, mtime, length);
    return at === undefined ? [] : [{ at, storageClass }];
  });
}

/** Moves of a noncurrent version. @param since when it was displaced @param newer noncurrent versions above it */
export function movesOfNoncurrent(
  { rule }: ActiveRule,
  { since, newer }: { readonly since: number; readonly newer: number },
  length: DayLength,
): Move[] {
  return (rule.noncurrentTransitions ?? [])
    .filter((move) => newer >= (move.newer ?? 0))
    .map(({ storageClass, days }) => ({ at: dueAfter(since, days, length), storageClass }));
}
