import type { StoreCapabilities } from '../../src/store/blob-store.ts';
import type { GcsClient } from './client.ts';
import { MAX_NAME_BYTES, RESERVED_PREFIXES } from './names.ts';
import { PRIVATE_METADATA_BYTES } from './resource.ts';

/** https://cloud.google.com/storage/quotas#objects: 8 KiB of custom metadata, names and values. */
const MAX_METADATA_BYTES = 8 * 1024;
/** https://cloud.google.com/storage/docs/batch */
export const MAX_BATCH = 100;

/** Limits of Cloud Storage, but for those that tests lower. */
export function gcsCapabilities({ limits, names, pinsSources }: GcsClient): StoreCapabilities {
  return {
    nameOrder: 'utf8',
    maxNameLength: MAX_NAME_BYTES,
    maxNameBytes: MAX_NAME_BYTES,
    reservedPrefixes: RESERVED_PREFIXES,
    maxWrite: limits.maxWrite,
    // A rewrite takes any object, in several calls if need be; the target changes with the last.
    maxCopy: Infinity,
    // A part is an object of its own.
    maxStagedBlock: limits.maxWrite,
    maxListPage: 1000,
    maxBatch: MAX_BATCH,
    maxMetadataBytes: MAX_METADATA_BYTES - PRIVATE_METADATA_BYTES,
    writeReturnsMd5: true,
    pinsSources,
    containerName: names.legal,
  };
}
