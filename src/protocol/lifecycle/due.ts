import type { Tag } from '../tagging.ts';
import { type Lifecycle, type S3LifecycleRule, type Scope, ruleScope } from './lifecycle.ts';

/** How long a day of a rule is. Everywhere but in tests: that of the calendar, and what is due waits for midnight. */
export interface DayLength {
  readonly ms: number;
  /** Due at the next midnight in UTC. */
  readonly isRounded: boolean;
}

export const CALENDAR: DayLength = { ms: 86_400_000, isRounded: true };

/** What filters look at. */
export interface FilteredObject {
  readonly key: string;
  /** Bytes; 0 of a delete marker. */
  readonly size: number;
  readonly tags?: readonly Tag[] | undefined;
}

/** A rule that is on, with its filter in one form. */
export interface ActiveRule extends Scope {
  readonly rule: S3LifecycleRule;
}

const ACTIVE = new WeakMap<Lifecycle, readonly ActiveRule[]>();

/** The rules that are on, in their order. */
export function activeRules(lifecycle: Lifecycle): readonly ActiveRule[] {
  const known = ACTIVE.get(lifecycle);
  if (known !== undefined) return known;
  const active = lifecycle.rules.filter(({ isEnabled }) => isEnabled).map((rule) => ({ rule, ...ruleScope(rule) }));
  ACTIVE.set(lifecycle, active);
  return active;
}

/** Whether a filter lets an object through, but for its tags. Sizes are exclusive. */
export function isInScope({ prefix, sizeAbove, sizeBelow }: Scope, { key, size }: FilteredObject): boolean {
  return (
    key.startsWith(prefix) &&
    (sizeAbove === undefined || size > sizeAbove) &&
    (sizeBelow === undefined || size < sizeBelow)
  );
}

/** Whether an object has all tags that a filter names. */
export function hasTags({ tags }: Scope, { tags: said = [] }: FilteredObject): boolean {
  return tags.every(({ key, value }) => said.some((tag) => tag.key === key && tag.value === value));
}

/**
 * When something that happened at `since` is so many days old: the days are added, then it waits for the next midnight
 * in UTC. What happened at midnight itself waits a day, too.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days
 * @param since milliseconds since the epoch, as is the result
 */
export function dueAfter(since: number, days: number, { ms, isRounded }: DayLength = CALENDAR): number {
  const due = Math.min(since + days * ms, LATEST_MS - ms);
  return isRounded ? (Math.floor(due / ms) + 1) * ms : due;
}

/** The last moment that a date can be. Rules may say as many days as a 32-bit number can. */
const LATEST_MS = 8.64e15;

/** When a rule comes due, and which. */
interface Deadline {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly id: string;
}

/** The earlier one; of two at one time the first. */
function earlier(found: Deadline | undefined, next: Deadline): Deadline {
  return found === undefined || next.at < found.at ? next : found;
}

/** When a current object expires: of the rules that count for it the earliest. Undefined: never. */
export function expirationOf(
  lifecycle: Lifecycle,
  object: FilteredObject & { readonly mtime: number },
): Deadline | undefined {
  let found: Deadline | undefined;
  for (const active of activeRules(lifecycle)) {
    const { expiration, id } = active.rule;
    const at = expiration === undefined ? undefined : momentOf(expiration, object.mtime);
    if (at !== undefined && isInScope(active, object) && hasTags(active, object)) found = earlier(found, { at, id });
  }
  return found;
}

/** Moment of an action by days since `since`, or by date. Undefined: it has neither. */
export function momentOf(
  { days, date }: { readonly days?: number; readonly date?: number },
  since: number,
  length?: DayLength,
): number | undefined {
  return days === undefined ? date : dueAfter(since, days, length);
}

/** When an open upload is aborted. Undefined: never. */
export function abortOf(
  lifecycle: Lifecycle,
  { key, initiatedAt }: { readonly key: string; readonly initiatedAt: number },
  length?: DayLength,
): Deadline | undefined {
  let found: Deadline | undefined;
  for (const { prefix, rule } of activeRules(lifecycle)) {
    if (rule.abortDays === undefined || !key.startsWith(prefix)) continue;
    found = earlier(found, { at: dueAfter(initiatedAt, rule.abortDays, length), id: rule.id });
  }
  return found;
}
