import type { Lifecycle } from '../../protocol/lifecycle/lifecycle.ts';
import type { RuleCount } from './lifecycle-report.ts';

/**
 * What an owner of rules may not expect of them, in words: a dry run says so. @param now milliseconds since the epoch
 */
export function warningsOf(
  lifecycle: Lifecycle | undefined,
  counts: ReadonlyMap<string, RuleCount>,
  now: number,
): string[] {
  return (lifecycle?.rules ?? []).flatMap(({ id, isEnabled, expiration, transitions = [] }) => {
    if (!isEnabled) return [];
    const due = counts.get(id)?.due ?? 0;
    const acts = transitions.length > 0 && expiration === undefined ? 'moves' : 'removes';
    const dates = [expiration, ...transitions].flatMap((action) => action?.date ?? []).filter((date) => date <= now);
    return [
      ...dates.map((date) => {
        const day = new Date(date).toISOString().slice(0, 10);
        return `rule ${id}: its date ${day} has passed, so each pass ${acts} everything that is new, too`;
      }),
      ...(due > 0 ? [`rule ${id}: this ${acts} ${String(due)} objects, versions or uploads`] : []),
    ];
  });
}
