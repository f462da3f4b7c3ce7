import type { RemoveItem, RemoveOutcome } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { removeEach } from '../../shared/remove-each.ts';
import type { AzureClient } from '../client.ts';
import { remove } from './write.ts';

/**
 * Deletes on a few connections side by side. One Blob Batch call would do for 256 of them, but its
 * parts are as many operations to the service, and one lost answer leaves all of them in doubt.
 */
export async function removeMany(
  client: AzureClient,
  container: string,
  items: readonly RemoveItem[],
  call: Call,
): Promise<RemoveOutcome[]> {
  return removeEach(items, client.limits.removeParallel, ({ name, revision }) =>
    remove(client, { container, name }, revision, call),
  );
}
