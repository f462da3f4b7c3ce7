import type { Call } from '../../src/observe/call.ts';
import type { BlobRef, RemoveItem, RemoveOutcome, Revision } from '../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import { inParallel } from './in-parallel.ts';

interface Limited {
  readonly limits: { readonly removeParallel: number };
}

/** Deletes one blob, on condition of its revision. */
type Remove<Client> = (client: Client, ref: BlobRef, revision: Revision | undefined, call: Call) => Promise<void>;

/** The call of a store that deletes many, one by one. */
type RemoveMany<Client> = (
  client: Client,
  container: string,
  items: readonly RemoveItem[],
  call: Call,
) => Promise<RemoveOutcome[]>;

/**
 * Deletes on a few connections side by side; outcomes in the order of the items. Both services have a batch call (256
 * blobs in Azure, 100 objects in Cloud Storage: https://cloud.google.com/storage/docs/batch), but its parts are as many
 * operations to the service, and one lost answer leaves all of them in doubt.
 */
export function removeManyBy<Client extends Limited>(remove: Remove<Client>): RemoveMany<Client> {
  return (client, container, items, call) =>
    inParallel(items, client.limits.removeParallel, async ({ name, revision }) => {
      try {
        await remove(client, { container, name }, revision, call);
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
