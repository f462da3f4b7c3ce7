import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { belongsToOneProcess } from '../../../config/schema-backends.ts';
import type { Config } from '../../../config/schema.ts';
import { SUPERVISOR_MIB, memoryLimit } from './node-flags.ts';

/** Where a container finds its own cgroup, in both versions. */
const CGROUP = '/sys/fs/cgroup';
/** The least that a worker gets: with half of it as heap it carries what `npm run bench` asks of a process. */
const WORKER_MIB = 256;
const MIB = 1024 * 1024;
/** Where the kernel deals out the connections of one port among the processes that share it. */
const SHARE_PORTS: ReadonlySet<string> = new Set(['linux', 'freebsd']);

/** What `auto` goes by. */
export interface Machine {
  readonly platform: string;
  /** Processes that the machine, or the CPU quota of the cgroup, lets run at a time. */
  readonly cores: number;
  /** Bytes that this process and its workers may use. */
  readonly memory: number;
}

/** Processes that serve. `auto`: one for each core, as far as the memory reaches and the backends can be shared. */
export function workerCount({ workers, backends }: Pick<Config, 'workers' | 'backends'>, on = thisMachine()): number {
  if (workers !== 'auto') return workers;
  if (!SHARE_PORTS.has(on.platform) || Object.values(backends).some(belongsToOneProcess)) return 1;
  return Math.max(1, Math.min(on.cores, Math.floor((on.memory / MIB - SUPERVISOR_MIB) / WORKER_MIB)));
}

/** @param cgroup folder of the cgroup that limits this process */
export function thisMachine(cgroup = CGROUP): Machine {
  // libuv looks at quotas, too, but not where version 1 has the controllers apart.
  const cores = Math.max(1, Math.min(availableParallelism(), Math.floor(cpuQuota(cgroup) ?? Infinity)));
  return { platform: process.platform, cores, memory: memoryLimit() ?? totalmem() };
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
