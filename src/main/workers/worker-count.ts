import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../config/schema.ts';

/** Where a container finds its own cgroup, in both versions. */
const CGROUP = '/sys/fs/cgroup';

/** Processes that serve. `auto`: as many as the machine, or the CPU quota of the cgroup, lets run at a time. */
export function workerCount(setting: Config['workers'], cgroup = CGROUP): number {
  if (setting !== 'auto') return setting;
  // libuv looks at quotas, too, but not where version 1 has the controllers apart.
  return Math.max(1, Math.min(availableParallelism(), Math.floor(cpuQuota(cgroup) ?? Infinity)));
}

/** Cores' worth of time; undefined: no limit. */
function cpuQuota(cgroup: string): number | undefined {
  const [quota, period] = read(cgroup, 'cpu.max')?.split(' ') ?? [
    read(cgroup, 'cpu/cpu.cfs_quota_us'),
    read(cgroup, 'cpu/cpu.cfs_period_us'),
  ];
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : undefined;
}

function read(cgroup: string, file: string): string | undefined {
  try {
    return readFileSync(join(cgroup, file), 'utf8').trim();
  } catch {
    return undefined;
  }
}
