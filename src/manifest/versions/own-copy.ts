import type { Call } from '../../observe/call.ts';
import { ABSENT, type BlobRef, type BlobStore, type CopyRequest, type WriteResult } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';

/** A copy to a private name that is used once. */
export type OwnCopy = Omit<CopyRequest, 'condition'> & { readonly target: BlobRef };

/**
 * Copies to a private blob, of any size and with any headers: in one call where the service has one, else in parts
 * that are assembled there. Create-if-absent.
 * @throws StoreError conditionFailed, sourceNotFound, sourceConditionFailed, partsGone
 */
export async function copyToOwn(store: BlobStore, { target, ...request }: OwnCopy, call: Call): Promise<WriteResult> {
  if (request.size <= store.capabilities.maxCopy) {
    try {
      return await store.copy(target, { ...request, condition: ABSENT }, call);
    } catch (error) {
      if (!isStoreError(error, 'tooLarge')) throw error;
    }
  }
  return stageToOwn(store, { target, ...request }, call);
}

/** The same, in parts. */
export async function stageToOwn(
  store: BlobStore,
  { target, source, size, headers, metadata, md5 }: OwnCopy,
  call: Call,
): Promise<WriteResult> {
  const { tokens } = await store.stagePartFrom(target, source, { first: 0, last: size - 1 }, call);
  return store.assemble(
    target,
    { tokens, headers, metadata, ...(md5 !== undefined && { md5 }), condition: ABSENT },
    call,
  );
}
