import type { BlobRef, WriteResult } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { AzureClient } from '../client.ts';
import { blobPath } from '../endpoint.ts';

/** Every blob has been changed since. */
const LONG_AGO = 'Thu, 01 Jan 1970 00:00:00 GMT';

/**
 * Creates a blob if it is absent. The emulator considers a name with uncommitted blocks taken, though there is no blob
 * (the service considers it free). Earlier releases staged blocks on the names of keys; this removes them once.
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

/**
 * Removes uncommitted blocks only: the condition spares every blob that was ever committed. Where nothing else is under
 * the name, the service was recorded to answer 202, and its documents say 404: either way no blob is there.
 * @returns whether the name is free
 */
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
    if (isStoreError(error, 'notFound')) return true;
    if (isStoreError(error, 'conditionFailed')) return false;
    throw error;
  }
}
