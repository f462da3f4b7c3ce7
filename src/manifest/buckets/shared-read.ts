import type { Call } from '../../observe/call.ts';
import { withSignal } from '../../observe/call.ts';
import { StoreError } from '../../store/store-error.ts';
import type { Time } from '../records/time.ts';

/**
 * What a read that several wait for may take: longer than a service that answers at all, shorter than clients'
 * patience. Milliseconds.
 */
const SHARED_MS = 20_000;

/** Begins work that does not end with the call that was first to ask for it, but has a deadline of its own. */
export function beginShared<T>(time: Time, call: Call, work: (call: Call) => Promise<T>): Promise<T> {
  const shared = work(withSignal(call, time.timeout(SHARED_MS))).catch((error: unknown) => {
    // To those who wait it is the service that did not answer: none of them has hung up.
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
      // Nobody waits for it here: that it fails later is told to others, or to nobody.
      shared.catch(() => undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
