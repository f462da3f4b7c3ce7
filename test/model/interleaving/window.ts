import { finish } from './at-rest.ts';
import { Run } from './run.ts';
import type { Task } from './task.ts';
import { Violation } from './trace.ts';

/**
 * What holds even while plain PUTs from before the first Enable may land over any head: each version that was
 * acknowledged can be read by its id, and none is the null version twice. @throws Violation
 */
export async function judgeWindow(run: Run, versionedSince: number): Promise<void> {
  const start = await run.world.snapshot();
  for (const [key, { versions }] of run.states) {
    if (versions.filter(({ id }) => id === 'null').length > 1) run.trace.breakWith(`I3: two null versions of ${key}`);
  }
  for (const task of run.tasks) {
    const version = task.acknowledged;
    if (version === undefined || version === 'null' || task.operation === undefined) continue;
    const read = { kind: 'getVersion', mode: 'enabled', key: task.operation.key, version } as const;
    const lone = await Run.begin({
      start,
      clients: [{ skew: 0, operations: [read] }],
      names: 'Z',
      versionedSince,
      lax: true,
    });
    try {
      await finish(lone);
      if (!showsWhatWasMade(lone.tasks[0], task)) {
        run.trace.breakWith(`the acknowledged version of ${task.id} is lost: ${lone.trace.text}`);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      run.trace.breakWith(`at rest: ${error.message}\n  after`, error);
    }
  }
}

function showsWhatWasMade(reading: Task | undefined, { id, operation }: Task): boolean {
  const said = reading?.said;
  if (operation?.kind === 'delete') return said?.kind === 'refused' && said.code === 'MethodNotAllowed';
  return said?.kind === 'shown' && said.version.body === id;
}
