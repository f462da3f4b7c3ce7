import type { Run } from './run.ts';
import { isReader } from './operation.ts';

/**
 * What is acknowledged under a condition stands right above the state that the condition was true of: nobody may have
 * come in between. For runs of writes in a bucket with versioning that delete nothing by id. @throws Violation
 */
export function judgeOrder(run: Run, key: string): void {
  const { versions = [] } = run.states.get(key) ?? {};
  for (const { id, operation, acknowledged, asked } of run.tasks) {
    if (operation?.condition === undefined || isReader(operation.kind) || acknowledged === undefined) continue;
    const place = versions.findIndex((version) => version.id === acknowledged);
    const below = place < 0 ? undefined : versions[place + 1];
    const holds =
      operation.condition === 'absent'
        ? below?.marker !== false
        : below?.etag === asked.etag && below?.marker === false;
    if (place >= 0 && !holds) {
      run.trace.breakWith(`I12: ${id} was acknowledged on a state that is not the one below it`);
    }
  }
}
