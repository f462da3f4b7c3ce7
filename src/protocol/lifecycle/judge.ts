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
import { byPreference, mayMove, movesOfCurrent, movesOfNoncurrent } from './transitions.ts';

/** A version of a key, and what the rules ask of its place among the others. */
export interface JudgedVersion extends Omit<FilteredObject, 'tags'> {
  /** Last-Modified; milliseconds since the epoch. */
  readonly mtime: number;
  readonly isMarker: boolean;
  /** Absent: STANDARD. */
  readonly storageClass?: string | undefined;
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

interface Due {
  readonly rule: ActiveRule;
  /** Since when it is due; milliseconds since the epoch. */
  readonly at: number;
}

/** `expire` is a DELETE without a version id, `remove` one with it. */
interface Removal extends Due {
  readonly kind: 'expire' | 'remove';
}

interface Move extends Due {
  readonly kind: 'transition';
  readonly storageClass: string;
}

/** What a rule wants of a version. */
export type LifecycleAction = Removal | Move;

/** By what a version is judged. */
export interface JudgeContext {
  readonly lifecycle: Lifecycle;
  /** The bucket never had versions: what expires is gone for good. */
  readonly isUnversioned: boolean;
  /** Milliseconds since the epoch, by the service's clock. */
  readonly now: number;
  readonly length: DayLength;
  /** Told of each rule that looks at the version. */
  readonly onLook?: (rule: ActiveRule) => void;
}

/**
 * What is due for a version, what is to be done first at the front: a removal for good, then a transition, then a
 * delete marker; of removals what was due first, of transitions the cheapest class. Only one of them is done in a pass.
 * A rule with tags is among them as if the version had these: its tags are asked for only when something is due.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-conflicts.html
 */
export function judge(version: JudgedVersion, context: JudgeContext): LifecycleAction[] {
  const due: LifecycleAction[] = [];
  for (const rule of activeRules(context.lifecycle)) {
    // A delete marker has no tags.
    if (!isInScope(rule, version) || (version.isMarker && rule.tags.length > 0)) continue;
    context.onLook?.(rule);
    for (const action of [...removals(rule, version, context), ...moves(rule, version, context)]) {
      if (action.at <= context.now) due.push(action);
    }
  }
  return due.sort((one, other) => compare(one, other, context));
}

/** Whether and when a rule wants the version to go, as far as the version's place is known. */
function removals(rule: ActiveRule, { place, mtime, isMarker }: JudgedVersion, { length }: JudgeContext): Removal[] {
  const { expiration, noncurrentExpiration } = rule.rule;
  if (place.kind === 'noncurrent') {
    if (noncurrentExpiration === undefined || place.newer < (noncurrentExpiration.newer ?? 0)) return [];
    return [{ kind: 'remove', rule, at: dueAfter(place.since, noncurrentExpiration.days, length) }];
  }
  // A delete marker that hides other versions is what an expired object comes to.
  if (expiration === undefined || (isMarker && !place.isAlone)) return [];
  // A lone one counts as due since it was made.
  const at = isMarker && expiration.loneMarkers === true ? mtime : momentOf(expiration, mtime, length);
  return at === undefined ? [] : [{ kind: isMarker ? 'remove' : 'expire', rule, at }];
}

function moves(rule: ActiveRule, version: JudgedVersion, { lifecycle, length }: JudgeContext): Move[] {
  const { place, mtime, isMarker } = version;
  if (isMarker) return [];
  const wanted =
    place.kind === 'current' ? movesOfCurrent(rule, mtime, length) : movesOfNoncurrent(rule, place, length);
  return wanted
    .filter(({ storageClass }) => mayMove(lifecycle, rule, version, storageClass))
    .map((move) => ({ kind: 'transition', rule, ...move }));
}

function compare(one: LifecycleAction, other: LifecycleAction, context: JudgeContext): number {
  const byKind = rankOf(one, context) - rankOf(other, context);
  if (byKind !== 0) return byKind;
  const byClass =
    one.kind === 'transition' && other.kind === 'transition' ? byPreference(one.storageClass, other.storageClass) : 0;
  return byClass === 0 ? one.at - other.at : byClass;
}

function rankOf({ kind }: LifecycleAction, { isUnversioned }: JudgeContext): number {
  if (kind === 'transition') return 1;
  return kind === 'remove' || isUnversioned ? 0 : 2;
}
