import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { afterAll, beforeAll } from 'vitest';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import type { BlobRef, BlobStore } from '../../src/store/blob-store.ts';
import { describeBlobStore } from './conformance.ts';

let azurite: AzuriteProcess;

beforeAll(async () => {
  azurite = await startAzurite({ customerKeys: true, tiers: { rehydrationMs: 0 } });
});

afterAll(() => azurite.stop());

const KIB = 1024;
/** Small enough for the suite's bodies to be split into blocks and copies into ranges. */
const limits = { maxStagedBlock: 64 * KIB, copyRange: 1024 * KIB };

describeBlobStore('azure', async () => createAzureStore({ ...azurite.storeOptions, limits }), { setArchived });

async function setArchived(_store: BlobStore, ref: BlobRef, archived: boolean): Promise<void> {
  const service = new BlobServiceClient(
    azurite.endpoint,
    new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY),
  );
  await service
    .getContainerClient(ref.container)
    .getBlobClient(ref.name)
    .setAccessTier(archived ? 'Archive' : 'Hot');
}
