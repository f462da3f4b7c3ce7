import { cpus, loadavg, totalmem } from 'node:os';

/** What a run was made on; without it its figures say little. */
export interface Machine {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGibibytes: number;
  /** Of the minute before. */
  readonly load: number;
}

export function machine(): Machine {
  const [model] = cpus();
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: model?.model ?? '',
    cores: cpus().length,
    memoryGibibytes: Math.round(totalmem() / 1024 ** 3),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/** A sentence for Markdown. */
export function machineLine({ date, node, cpu, cores, memoryGibibytes, load }: Machine): string {
  const when = date.replace('T', ' ').slice(0, 16);
  return `${when} UTC, ${cores} cores (${cpu}), ${memoryGibibytes} GiB, Node ${node.slice(1)}, load ${load.toFixed(1)} at the beginning.`;
}
