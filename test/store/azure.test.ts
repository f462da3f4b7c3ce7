import { afterAll, beforeAll } from 'vitest';
import { createAzureStore, startAzurite } from '../../adapters/azure/index.ts';
import type { AzuriteProcess } from '../../adapters/azure/index.ts';
import { describeBlobStore } from './conformance.ts';

let azurite: AzuriteProcess;

beforeAll(async () => {
  azurite = await startAzurite();
}, 60_000);

afterAll(() => azurite.stop());

const KIB = 1024;
/** Small enough for the suite's bodies to be split into blocks and copies into ranges. */
const limits = { maxStagedBlock: 64 * KIB, copyRange: 1024 * KIB };

describeBlobStore('azure', async () => createAzureStore({ ...azurite.storeOptions, limits }));
