import type { StoreCapabilities } from '../../src/store/blob-store.ts';
import { CONTAINER_NAME, MAX_NAME_LENGTH } from './endpoint.ts';
import type { AzureLimits } from './options.ts';

/** https://learn.microsoft.com/rest/api/storageservices/blob-batch */
export const MAX_BATCH = 256;

/** Limits of the Blob service at `API_VERSION`, but for those that tests lower. */
export function azureCapabilities(limits: AzureLimits): StoreCapabilities {
  return {
    nameOrder: 'utf16',
    maxNameLength: MAX_NAME_LENGTH,
    maxWrite: limits.maxWrite,
    maxCopy: Math.max(limits.maxSyncCopy, limits.maxPutFromUrl),
    maxStagedBlock: limits.maxStagedBlock,
    maxListPage: 5000,
    maxBatch: MAX_BATCH,
    maxMetadataBytes: 8 * 1024,
    writeReturnsMd5: true,
    pinsSources: true,
    removesFullContainers: true,
    containerName: CONTAINER_NAME,
  };
}
