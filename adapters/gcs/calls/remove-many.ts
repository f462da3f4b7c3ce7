import type { RemoveItem, RemoveOutcome } from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import type { GcsClient } from '../client.ts';
import { remove } from './write.ts';

/**
 * Deletes on a few connections side by side. A batch call would do for 100 of them, but its parts are as many operations to the
 * service (https://cloud.google.com/storage/docs/batch), and one lost answer leaves all of them in doubt.
 */
export async function removeMany(client: GcsClient, container: string, items: readonly RemoveItem[], call: Call): Promise<RemoveOutcome[]> {
  return inParallel(items, client.limits.removeParallel, async (item) => {
    try {
      await remove(client, { container, name: item.name }, item.revision, call);
      return 'removed';
    } catch (error) {
      return outcomeOf(error);
    }
  });
}

function outcomeOf(error: unknown): RemoveOutcome {
  if (isStoreError(error, 'notFound')) return 'notFound';
  if (isStoreError(error, 'conditionFailed')) return 'conditionFailed';
  return error instanceof Error ? error : new StoreError('unexpected', { call: 'removeMany', cause: error });
}
