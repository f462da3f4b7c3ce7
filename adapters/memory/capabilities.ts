import type { StoreCapabilities } from '../../src/store/blob-store.ts';

const MIB = 1024 * 1024;

/** The limits of Azure block blobs, so that what works here works there. */
export const MEMORY_CAPABILITIES: StoreCapabilities = {
  nameOrder: 'utf16',
  maxNameLength: 1024,
  maxWrite: 5000 * MIB,
  maxCopy: 5000 * MIB,
  maxStagedBlock: 4000 * MIB,
  maxListPage: 5000,
  maxBatch: 256,
  maxMetadataBytes: 8 * 1024,
  writeReturnsMd5: true,
  pinsSources: true,
  removesFullContainers: true,
  containerName: /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
};
