import { EVENT_NAMES, type EventName, meansEvent } from './event-names.ts';

/** The kinds of targets that S3 has, each with an element of its own. */
export type TargetKind = 'topic' | 'queue' | 'function';

/** What stands for Amazon EventBridge among the targets of rules. */
export const EVENT_BRIDGE = 'arn:aws:events:::event-bus/default';

/** One configuration of a bucket: which events of which keys go where. */
export interface NotificationRule {
  readonly id: string;
  /** `eventBridge`: all events of all keys, besides what the others ask for. */
  readonly kind: TargetKind | 'eventBridge';
  /** ARN, as it was put. */
  readonly target: string;
  /** As they were put: `s3:ObjectCreated:*`. */
  readonly events: readonly string[];
  /** In the order in which they were put; absent: there was no filter. */
  readonly filter?: readonly FilterRule[];
}

export interface FilterRule {
  readonly name: 'prefix' | 'suffix';
  readonly value: string;
}

/** What keys of a rule begin or end with; empty: with anything. */
function affixOf({ filter = [] }: Pick<NotificationRule, 'filter'>, name: FilterRule['name']): string {
  return filter.find((rule) => rule.name === name)?.value ?? '';
}

/** Whether any rule is about a key, whatever happens to it. */
export function concernsKey(rules: readonly NotificationRule[], key: string): boolean {
  return rules.some((rule) => isAbout(rule, key));
}

/** The rules that an event of a key belongs to. S3 lets no two have one event, but for EventBridge. */
export function rulesFor(
  rules: readonly NotificationRule[],
  event: EventName,
  key: string,
): readonly NotificationRule[] {
  return rules.filter(
    (rule) =>
      rule.kind === 'eventBridge' || (isAbout(rule, key) && rule.events.some((name) => meansEvent(name, event))),
  );
}

type Asked = Pick<NotificationRule, 'events' | 'filter'>;

/**
 * Whether some event of some key would belong to both: they have an event in common, and neither their prefixes nor
 * their suffixes exclude each other.
 */
export function overlap(one: Asked, other: Asked): boolean {
  const prefixes = [affixOf(one, 'prefix'), affixOf(other, 'prefix')] as const;
  const suffixes = [affixOf(one, 'suffix'), affixOf(other, 'suffix')] as const;
  return (
    (prefixes[0].startsWith(prefixes[1]) || prefixes[1].startsWith(prefixes[0])) &&
    (suffixes[0].endsWith(suffixes[1]) || suffixes[1].endsWith(suffixes[0])) &&
    EVENT_NAMES.some((event) => [one, other].every(({ events }) => events.some((name) => meansEvent(name, event))))
  );
}

function isAbout(rule: NotificationRule, key: string): boolean {
  return key.startsWith(affixOf(rule, 'prefix')) && key.endsWith(affixOf(rule, 'suffix'));
}
