import type { BatchSupport } from '../shared/batch/batch-support.ts';
import type { PartDigests } from '../shared/part-digests.ts';
import type { RestClient } from '../shared/rest-client.ts';
import type { Authorizer } from './authorize.ts';
import type { CopyRefusals } from './copy-refusals.ts';
import type { CopySources } from './copy-source.ts';
import { CONTAINER_NAME, type Endpoint, MAX_NAME_LENGTH } from './endpoint.ts';
import type { AzureLimits } from './options.ts';
import type { AzureRequest } from './request.ts';
import type { StoreCapabilities } from '../../src/store/blob-store.ts';

/** What the calls of one storage account share. */
export interface AzureClient {
  readonly rest: RestClient<AzureRequest>;
  /** Of the calls inside a batch, which the REST client does not see. */
  readonly authorizer: Authorizer;
  readonly batches: BatchSupport;
  readonly endpoint: Endpoint;
  readonly limits: AzureLimits;
  readonly sources: CopySources;
  readonly refusals: CopyRefusals;
  readonly digests: PartDigests;
  /** What an emulator turned out to lack. */
  readonly lacks: { putFromUrl: boolean };
}

/** https://learn.microsoft.com/rest/api/storageservices/blob-batch */
export const MAX_BATCH = 256;

/** Blocks of one blob: https://learn.microsoft.com/rest/api/storageservices/put-block-list */
const MAX_BLOCKS = 50_000;

/** Limits of the Blob service at `API_VERSION`, but for those that tests lower. */
export function azureCapabilities(limits: AzureLimits): StoreCapabilities {
  return {
    nameOrder: 'utf16',
    maxNameLength: MAX_NAME_LENGTH,
    maxWrite: limits.maxWrite,
    maxCopy: Math.max(limits.maxSyncCopy, limits.maxPutFromUrl),
    maxStagedBlock: limits.maxStagedBlock,
    maxBlob: MAX_BLOCKS * limits.maxStagedBlock,
    maxListPage: 5000,
    maxBatch: MAX_BATCH,
    maxMetadataBytes: 8 * 1024,
    writeReturnsMd5: true,
    pinsSources: true,
    archiveIsOffline: true,
    removesFullContainers: true,
    containerName: CONTAINER_NAME,
  };
}
