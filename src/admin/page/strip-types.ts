import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * The sources without their types, in the same order. In a thread of its own, which is gone afterwards: what strips
 * them takes some megabytes, and Node warns that the function may change, which is of no use to whoever reads the
 * gateway's log.
 */
export async function stripTypes(sources: readonly string[]): Promise<readonly string[]> {
  const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
    workerData: sources,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  try {
    const [stripped] = (await once(worker, 'message')) as [readonly string[]];
    return stripped;
  } finally {
    await worker.terminate();
  }
}
