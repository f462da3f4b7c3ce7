import {
  type ActiveRule,
  activeRules,
  type DayLength,
  dueAfter,
  type FilteredObject,
  isInScope,
  momentOf,
} from './due.ts';
import type { Lifecycle } from './lifecycle.ts';

/** A version of a key, and what the rules ask of its place among the others. */
export interface JudgedVersion extends Omit<FilteredObject, 'tags'> {
  /** Last-Modified; milliseconds since the epoch. */
  readonly mtime: number;
  readonly isMarker: boolean;
  readonly place: CurrentPlace | NoncurrentPlace;
}

interface CurrentPlace {
  readonly kind: 'current';
  /** The key has no other version. */
  readonly isAlone: boolean;
}

interface NoncurrentPlace {
  readonly kind: 'noncurrent';
  /** When the next newer version was created; milliseconds since the epoch. */
  readonly since: number;
  /** Noncurrent versions that are newer, delete markers not counted. */
  readonly newer: number;
}

/** What a rule wants of a version. `expire` is a DELETE without a version id, `remove` one with it. */
export interface LifecycleAction {
  readonly kind: 'expire' | 'remove';
  readonly rule: ActiveRule;
  /** Since when it is due; milliseconds since the epoch. */
  readonly at: number;
}

/** By what a version is judged. */
export interface JudgeContext {
  readonly lifecycle: Lifecycle;
  /** Milliseconds since the epoch, by the service's clock. */
  readonly now: number;
  readonly length: DayLength;
  /** Told of each rule that looks at the version. */
  readonly onLook?: (rule: ActiveRule) => void;
}

/**
 * What is due for a version, by the rules that want it, what was due first at the front. All of them want the same. A
 * rule with tags is among them as if the version had these: its tags are asked for only when something is due.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
 */
export function judge(version: JudgedVersion, { lifecycle, now, length, onLook }: JudgeContext): LifecycleAction[] {
  const due: LifecycleAction[] = [];
  for (const rule of activeRules(lifecycle)) {
    // A delete marker has no tags.
    if (!isInScope(rule, version) || (version.isMarker && rule.tags.length > 0)) continue;
    onLook?.(rule);
    const at = dueAt(rule, version, length);
    if (at !== undefined && at <= now) {
      const isCurrentObject = version.place.kind === 'current' && !version.isMarker;
      due.push({ kind: isCurrentObject ? 'expire' : 'remove', rule, at });
    }
  }
  return due.sort((one, other) => one.at - other.at);
}

/** When a rule wants the version to go. Undefined: never, as far as the version's place is known. */
function dueAt({ rule }: ActiveRule, version: JudgedVersion, length: DayLength): number | undefined {
  const { place, mtime, isMarker } = version;
  const { expiration, noncurrentExpiration } = rule;
  if (place.kind === 'noncurrent') {
    if (noncurrentExpiration === undefined || place.newer < (noncurrentExpiration.newer ?? 0)) return undefined;
    return dueAfter(place.since, noncurrentExpiration.days, length);
  }
  // A delete marker that hides other versions is what an expired object comes to.
  if (expiration === undefined || (isMarker && !place.isAlone)) return undefined;
  // It counts as due since it was made.
  if (isMarker && expiration.loneMarkers === true) return mtime;
  return momentOf(expiration, mtime, length);
}
