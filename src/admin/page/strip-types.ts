import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * The sources without their types, in the same order. A thread of its own strips them and is gone afterwards. Stripping
 * takes some megabytes, and Node warns that the function may change, which is of no use in the gateway's log.
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
