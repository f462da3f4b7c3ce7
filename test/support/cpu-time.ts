import process from 'node:process';

/**
 * Milliseconds for which this thread had the processor while it did some work: what others do beside it, and for how
 * long they kept it waiting, is not in it.
 */
export function cpuTimeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1000;
}
