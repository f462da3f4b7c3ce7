import type { BlobMetadata, ByteRange, Condition, StoreCapabilities } from '../../src/store/blob-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { StoredBlob } from './state.ts';

const METADATA_NAME = /^[a-z][a-z0-9_]*$/;
const METADATA_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/**
 * Names that Azure refuses, or stores as another name. Such a name here means that the caller has bypassed the key
 * codec.
 */
const UNSAFE_NAME = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\\]|(?:^|\/)\.{1,2}(?:\/|$)/u;

/** @throws invalidName */
export function checkName(name: string, limits: StoreCapabilities, call: string): void {
  if (name === '' || name.length > limits.maxNameLength || UNSAFE_NAME.test(name)) {
    throw new StoreError('invalidName', { call });
  }
}

/** @throws invalidName, tooLarge */
export function checkMetadata(metadata: BlobMetadata, limits: StoreCapabilities, call: string): void {
  let bytes = 0;
  for (const [name, value] of Object.entries(metadata)) {
    if (!METADATA_NAME.test(name) || !METADATA_VALUE.test(value)) {
      throw new StoreError('invalidName', { call, code: 'InvalidMetadata' });
    }
    bytes += name.length + value.length;
  }
  if (bytes > limits.maxMetadataBytes) throw new StoreError('tooLarge', { call, code: 'MetadataTooLarge' });
}

/** @throws conditionFailed */
export function checkCondition(blob: StoredBlob | undefined, condition: Condition | undefined, call: string): void {
  if (condition === undefined) return;
  const holds = condition.kind === 'absent' ? blob === undefined : blob?.revision === condition.revision;
  if (!holds) throw new StoreError('conditionFailed', { call });
}

/** First byte and number of bytes of a range, clipped to the blob. @throws rangeNotSatisfiable */
export function clipRange(size: number, range: ByteRange | undefined, call: string): { first: number; length: number } {
  if (range === undefined) return { first: 0, length: size };
  if (range.first >= size) throw new StoreError('rangeNotSatisfiable', { call });
  return { first: range.first, length: Math.min(range.last ?? size - 1, size - 1) - range.first + 1 };
}

const MIB = 1024 * 1024;

/** The limits of Azure block blobs, so that what works here works there. */
export const MEMORY_CAPABILITIES: StoreCapabilities = {
  nameOrder: 'utf16',
  maxNameLength: 1024,
  maxWrite: 5000 * MIB,
  maxCopy: 5000 * MIB,
  maxStagedBlock: 4000 * MIB,
  maxBlob: 50_000 * 4000 * MIB,
  maxListPage: 5000,
  maxBatch: 256,
  maxMetadataBytes: 8 * 1024,
  writeReturnsMd5: true,
  pinsSources: true,
  archiveIsOffline: true,
  removesFullContainers: true,
  containerName: /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
};
