import type { Call } from '../observe/call.ts';
import type { BlobProperties, BlobRef, BlobStore, ReadResult, WriteResult } from './blob-store.ts';
import { isStoreError } from './store-error.ts';
import { plainStore } from './wrap-store.ts';

/**
 * The same store; what happens to heads, the blobs in the containers of buckets, is noted among the facts of the
 * request on whose behalf it happens: the revision that was found first, and the one that was left.
 */
export function noteHeads(store: BlobStore, systemContainer: string): BlobStore {
  const found = async <T extends BlobProperties | ReadResult>(
    ref: BlobRef,
    { facts }: Call,
    work: Promise<T>,
  ): Promise<T> => {
    if (ref.container === systemContainer) return work;
    try {
      const result = await work;
      const answer: BlobProperties | ReadResult = result;
      facts.noteHeadRead(ref.name, ('properties' in answer ? answer.properties : answer).revision);
      return result;
    } catch (error) {
      if (isStoreError(error, 'notFound')) facts.noteHeadRead(ref.name, undefined);
      throw error;
    }
  };
  const left = async (ref: BlobRef, { facts }: Call, work: Promise<WriteResult>): Promise<WriteResult> => {
    const result = await work;
    if (ref.container !== systemContainer) facts.noteHeadWritten(ref.name, result.revision);
    return result;
  };
  return {
    ...plainStore(store),
    head: (ref, call) => found(ref, call, store.head(ref, call)),
    read: (ref, request, call) => found(ref, call, store.read(ref, request, call)),
    write: (ref, body, request, call) => left(ref, call, store.write(ref, body, request, call)),
    setMetadata: (ref, metadata, on, call) => left(ref, call, store.setMetadata(ref, metadata, on, call)),
    copy: (ref, request, call) => left(ref, call, store.copy(ref, request, call)),
    async remove(ref, revision, call) {
      await store.remove(ref, revision, call);
      if (ref.container !== systemContainer) call.facts.noteHeadWritten(ref.name, undefined);
    },
  };
}
