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
  return (lifecycle?.rules ?? []).flatMap(({ id, isEnabled, expiration }) => {
    if (!isEnabled) return [];
    const due = counts.get(id)?.due ?? 0;
    const warnings: string[] = [];
    if (expiration?.date !== undefined && expiration.date <= now) {
      const day = new Date(expiration.date).toISOString().slice(0, 10);
      warnings.push(`rule ${id}: its date ${day} has passed, so each pass removes everything that is new, too`);
    }
    if (due > 0) warnings.push(`rule ${id}: this removes ${String(due)} objects, versions or uploads`);
    return warnings;
  });
}
