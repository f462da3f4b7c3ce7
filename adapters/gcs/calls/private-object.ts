import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { GcsClient } from '../client.ts';

/**
 * Makes an object under a fresh random name, on condition that it does not exist. If the answer is lost, the call can
 * be sent again: only this request knows the name, so a name that is taken by then was taken by it.
 * @param make sends the call; done once only if it cannot be `repeatable`, as a body that is a stream
 */
export async function makePrivate(
  client: GcsClient,
  make: () => Promise<unknown>,
  repeatable: boolean,
  call: Call,
): Promise<void> {
  let doubtful = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await make();
      return;
    } catch (error) {
      if (doubtful && isStoreError(error, 'conditionFailed')) return;
      // What one attempt may have made, no later failure unmakes.
      const failure =
        doubtful && isStoreError(error)
          ? new StoreError(error.kind, { ...error.detail, lost: true, cause: error })
          : error;
      if (!repeatable || !isLost(failure) || !(await client.rest.mayTryAgain(attempt, failure, call))) throw failure;
      doubtful = true;
    }
  }
}

function isLost(error: unknown): error is StoreError {
  return isStoreError(error, 'unavailable', 'throttled') && error.lost;
}
