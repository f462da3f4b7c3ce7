import { readFileSync } from 'node:fs';

const MIB = 1024 * 1024;

interface Peak {
  /** Bytes resident before, and the most that came on top. */
  readonly before: number;
  readonly added: number;
  readonly seconds: number;
}

/** Resident memory of a process while something is done. */
export async function peakOf(pid: number, work: () => Promise<void>): Promise<Peak> {
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  const before = resident();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, resident())), 10);
  const begun = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return { before, added: Math.max(most, resident()) - before, seconds: (performance.now() - begun) / 1000 };
}

export function describePeak({ before, added, seconds }: Peak): string {
  return `${Math.round(added / MIB)} MiB above ${Math.round(before / MIB)}, ${seconds.toFixed(1)} s`;
}
