import { NO_ANSWER_IN_TIME, StoreError } from '../../src/store/store-error.ts';

/**
 * Waits for work that several calls share, or that cannot be stopped. The waiting call itself can be aborted.
 * @param within milliseconds that a token may take; absent: for as long as it takes
 * @throws StoreError aborted, unavailable when it is too late, and whatever the work throws
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, within?: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new StoreError('aborted', { cause: signal.reason }));
    if (signal.aborted) {
      work.catch(() => undefined);
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    const late =
      within === undefined
        ? undefined
        : setTimeout(
            () => reject(new StoreError('unavailable', { call: 'credential', code: NO_ANSWER_IN_TIME })),
            within,
          );
    work.then(resolve, reject).finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
    });
  });
}
