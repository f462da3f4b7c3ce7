import type { BlobStore } from '../../../src/store/blob-store.ts';
import { blobsOf, pagesOf } from '../../../src/store/pages.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../test-call.ts';

/** Removes a container with everything in it, also where the service removes empty ones only. */
export async function dropContainer(store: BlobStore, name: string): Promise<void> {
  const call = testCall();
  try {
    await store.removeContainer(name, call);
  } catch (error) {
    if (!isStoreError(error, 'containerNotEmpty')) throw error;
    for await (const page of pagesOf(store, name, {}, call)) {
      await store.removeMany(
        name,
        blobsOf(page).map((blob) => ({ name: blob.name })),
        call,
      );
    }
    await store.removeContainer(name, call);
  }
}
