import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Backend } from '../buckets/realm.ts';
import type { BucketTurns } from './bucket-turns.ts';

/**
 * Does the work of a run, unless it is told to stop. What was done until then stays, and the next run goes on from
 * there. @returns false: it was told to stop before the end
 */
export async function untilStopped(work: () => Promise<void>, call: Call): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!call.signal.aborted && !isStoreError(error, 'aborted')) throw error;
    return false;
  }
}

interface BackendWork {
  readonly backend: Backend;
  readonly work: () => Promise<void>;
  /** Takes a line if something goes wrong. */
  readonly problems: string[];
}

/** Works on one backend of several. What goes wrong there holds up no other. @throws StoreError aborted */
export async function inBackend({ backend, work, problems }: BackendWork, call: Call): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
    problems.push(problemOf(`backend ${backend.name}`, error));
  }
}

/** A line of a report. @param what went wrong: `bucket photos` */
export function problemOf(what: string, error: unknown): string {
  return `${what}: ${error instanceof Error ? error.message : String(error)}`;
}

/** Has buckets take turns until all have ended, so that a large one holds no other up. @throws StoreError aborted */
export async function takeTurns(
  runs: readonly Pick<BucketTurns<never>, 'isEnded' | 'turn'>[],
  call: Call,
): Promise<void> {
  for (let open = runs; open.length > 0; ) {
    for (const run of open) await run.turn(call);
    open = open.filter((run) => !run.isEnded);
  }
}
