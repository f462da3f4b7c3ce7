import { availableParallelism } from 'node:os';
import type { Config } from '../../../config/schema.ts';

/** Processes that serve. `auto`: as many as the machine, or the CPU quota of the cgroup, lets run at a time. */
export function workerCount(setting: Config['workers']): number {
  return setting === 'auto' ? availableParallelism() : setting;
}
