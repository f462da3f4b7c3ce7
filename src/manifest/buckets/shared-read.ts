import type { Call } from '../../observe/call.ts';
import { withSignal } from '../../observe/call.ts';
import { StoreError } from '../../store/store-error.ts';
import type { Time } from '../records/time.ts';

/**
 * How long a read for which several requests wait may take: longer than any service that answers at all, shorter than
 * clients wait. Milliseconds.
 */
const SHARED_MS = 20_000;

/** Begins work that has a deadline of its own and does not end with the call that asked for it first. */
export function beginShared<T>(time: Time, call: Call, work: (call: Call) => Promise<T>): Promise<T> {
  const shared = work(withSignal(call, time.timeout(SHARED_MS))).catch((error: unknown) => {
    // For the requests that wait, the service did not answer: none of them has been aborted.
    throw error instanceof StoreError && error.kind === 'aborted'
      ? new StoreError('unavailable', { ...error.detail, cause: error })
      : error;
  });
  shared.catch(() => undefined);
  return shared;
}

/** Waits for it until the call ends. @throws StoreError aborted, and what the work throws */
export function awaitShared<T>(shared: Promise<T>, { signal }: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new StoreError('aborted', { cause: signal.reason }));
    if (signal.aborted) {
      onAbort();
      // Nobody waits for it here: a later failure is reported to other waiting requests, or to nobody.
      shared.catch(() => undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
