import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import type { BlobProperties, BlobRef, BlobStore } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { UploadBody } from '../../streams/bytes.ts';
import { newNonce } from '../records/clock.ts';
import { opaqueEtag } from '../heads/head.ts';

/** Bytes that were stored, and that the service's answer gave no MD5 of. */
interface UnansweredWrite {
  readonly ref: BlobRef;
  readonly body: UploadBody;
  /** Hex, if the client said it or it was computed on the way. */
  readonly md5: string | undefined;
  /** Whether the blob, as it stands now, is the one that was written. */
  readonly isOurs: (properties: BlobProperties) => boolean;
}

export interface StoredEtag {
  readonly etag: string;
  /** False: reads would show another ETag, so the record has to name it. */
  readonly kept: boolean;
}

/**
 * The ETag of an object whose write was answered without an MD5, as reads will show it
 * (docs/decisions/0017-answers-of-services.md). The service is asked what it keeps: one call, which no write costs that
 * is answered as services do. If it keeps none, the ETag is the MD5 of bytes that are still in memory, else an opaque
 * one with a dash, and the record must say so.
 * @throws StoreError when the service cannot be asked
 */
export async function etagWithoutAnswer(
  store: BlobStore,
  { ref, body, md5, isOurs }: UnansweredWrite,
  call: Call,
): Promise<StoredEtag> {
  const own = md5 ?? (body instanceof Uint8Array ? createHash('md5').update(body).digest('hex') : undefined);
  const found = await store.head(ref, call).catch((error: unknown) => {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  });
  // Replaced or removed by now: it cannot be read under any ETag.
  if (found === undefined || !isOurs(found)) return { etag: own ?? opaqueEtag(newNonce()), kept: true };
  if (found.md5 !== undefined) return { etag: found.md5, kept: true };
  return { etag: own ?? opaqueEtag(found.revision), kept: false };
}
