import type { StoreError } from '../../../src/store/store-error.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { GcsClient } from '../client.ts';

/**
 * Makes an object under a fresh random name, on condition that it does not exist. A lost answer is no dilemma there: nobody
 * else knows the name, so the call can be sent again, and a name that is taken by then was taken by us.
 * @param make sends the call; done once only if it cannot be `repeatable`, as a body that is a stream
 */
export async function makePrivate(client: GcsClient, make: () => Promise<unknown>, repeatable: boolean, call: Call): Promise<void> {
  let doubtful = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await make();
      return;
    } catch (error) {
      if (doubtful && isStoreError(error, 'conditionFailed')) return;
      if (!repeatable || !isLost(error) || !(await client.mayTryAgain(attempt, error, call))) throw error;
      doubtful = true;
    }
  }
}

function isLost(error: unknown): error is StoreError {
  return isStoreError(error, 'unavailable', 'throttled') && error.lost;
}
