import type { RemoveItem, RemoveOutcome } from '../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import { inParallel } from './in-parallel.ts';

/** Removals one by one, on a few connections side by side; outcomes in the order of the items. */
export async function removeEach(
  items: readonly RemoveItem[],
  concurrency: number,
  remove: (item: RemoveItem) => Promise<void>,
): Promise<RemoveOutcome[]> {
  return inParallel(items, concurrency, async (item) => {
    try {
      await remove(item);
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
