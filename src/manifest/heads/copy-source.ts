import type { Call } from '../../observe/call.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { isCrc } from '../../protocol/checksums/crc-combine.ts';
import { fullObjectChecksum } from '../../protocol/checksums/multipart-checksum.ts';
import type { BlobProperties, CopySource } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { CopySourceView, OpenRequest } from './object-requests.ts';
import { openView } from './object-read.ts';

interface PinnedSource {
  readonly source: CopySource;
  /** The blob that holds the bytes; absent when the view says all of it. */
  readonly found?: BlobProperties;
}

/**
 * The source of a server-side copy at the revision that was looked up. Inline views carry it; a private blob, which
 * never changes but may be settled away, is looked up: one call.
 * @throws StoreError sourceNotFound: look the source up again
 */
export async function pinSource({ bucket, view }: CopySourceView, call: Call): Promise<PinnedSource> {
  const { ref, revision } = view.bytes;
  if (revision !== undefined) return { source: { ...ref, revision, size: view.size } };
  try {
    const found = await bucket.home.store.head(ref, call);
    return { source: { ...ref, revision: found.revision, size: found.size }, found };
  } catch (error) {
    throw asSourceError(error);
  }
}

/**
 * The bytes of a source, to pass through the gateway.
 * @throws StoreError sourceNotFound, sourceConditionFailed: look it up again
 */
export async function openSource(
  { bucket, view, key }: CopySourceView,
  request: OpenRequest,
  call: Call,
): Promise<ByteSource> {
  try {
    return await openView(bucket, view, { ...request, ...(key && { key }) }, call);
  } catch (error) {
    throw asSourceError(error);
  }
}

/** What a read says of a blob, said of the source of a copy. */
function asSourceError(error: unknown): unknown {
  if (isStoreError(error, 'notFound')) return new StoreError('sourceNotFound', { call: 'read', cause: error });
  return isStoreError(error, 'conditionFailed')
    ? new StoreError('sourceConditionFailed', { call: 'read', cause: error })
    : error;
}

/**
 * The checksum of all bytes of an object, as far as it is known without reading them: its own, or that which the CRCs
 * of its parts amount to. One over the digests of parts says nothing about an object that has no parts, as no copy has.
 */
export function wholeChecksum({ checksum, parts = [] }: Pick<ObjectView, 'checksum' | 'parts'>): Checksum | undefined {
  if (checksum === undefined || checksum.type === 'FULL_OBJECT') return checksum;
  const { algorithm } = checksum;
  const known = parts.flatMap(({ checksum: value, size }) => (value === undefined ? [] : [{ value, size }]));
  if (!isCrc(algorithm) || known.length === 0 || known.length !== parts.length) return undefined;
  return { algorithm, value: fullObjectChecksum(algorithm, known), type: 'FULL_OBJECT' };
}
