import { StoreError } from '../../src/store/store-error.ts';

/**
 * Waits for work that is shared by several calls or cannot be stopped itself; the call that waits can.
 * @throws StoreError aborted, and whatever the work throws
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new StoreError('aborted', { cause: signal.reason }));
    if (signal.aborted) {
      work.catch(() => undefined);
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
