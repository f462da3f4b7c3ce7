import type { BlobRef, WriteResult } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { AzureClient } from '../client.ts';
import { blobPath } from '../endpoint.ts';

/** Every blob has been changed since. */
const LONG_AGO = 'Thu, 01 Jan 1970 00:00:00 GMT';

/**
 * Create-if-absent. To the emulator a name with uncommitted blocks is taken, though it has no blob (to the service it
 * is free): earlier releases staged on the names of keys, and what they left goes here, once.
 */
export async function createOrHeal(
  client: AzureClient,
  ref: BlobRef,
  create: () => Promise<WriteResult>,
  call: Call,
): Promise<WriteResult> {
  try {
    return await create();
  } catch (error) {
    // Only emulators have the account in the path.
    const isEmulated = client.endpoint.basePath !== '';
    if (!isEmulated || !isStoreError(error, 'conditionFailed') || !(await removeUncommitted(client, ref, call))) {
      throw error;
    }
    return create();
  }
}

/** Removes what is no blob: the condition, atomic as all are, spares every one that was ever committed. */
async function removeUncommitted(client: AzureClient, ref: BlobRef, call: Call): Promise<boolean> {
  try {
    await client.rest.sendForHeaders(
      {
        call: 'write',
        method: 'DELETE',
        path: blobPath(client.endpoint, ref),
        ifUnmodifiedSince: LONG_AGO,
        effect: 'change',
      },
      call,
    );
    return true;
  } catch (error) {
    if (isStoreError(error, 'notFound', 'conditionFailed')) return false;
    throw error;
  }
}
