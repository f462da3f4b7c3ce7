import type {
  BlobRef,
  ByteRange,
  CopyRequest,
  CopySource,
  PartToken,
  ReadResult,
  WriteResult,
} from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { StreamBody } from '../../../src/streams/bytes.ts';
import type { AzureClient } from '../client.ts';
import { isUncopyable, mayBeRefused } from '../copy-refusals.ts';
import { checkSource } from './copy-send.ts';
import { read } from './read.ts';
import { write } from './write.ts';

/** One copy, in the two ways in which it can be done. */
interface CopyWays<T> {
  readonly source: CopySource;
  /** The service reads the source by its URL. */
  readonly byUrl: () => Promise<T>;
  /** The gateway reads the source and writes the bytes. */
  readonly throughHere: () => Promise<T>;
}

/**
 * Copies by URL, unless the account refuses that or has done so lately, or the service cannot copy this source; then
 * the bytes pass through the gateway.
 */
export async function byUrlOrThroughHere<T>(
  client: AzureClient,
  { source, byUrl, throughHere }: CopyWays<T>,
  call: Call,
): Promise<T> {
  const { refusals } = client;
  let isRefused = false;
  if (!refusals.active) {
    try {
      return await byUrl();
    } catch (error) {
      isRefused = mayBeRefused(error);
      if (!isRefused && !isUncopyable(error)) throw error;
      await checkSource(client, source, call);
    }
  }
  const done = await throughHere();
  if (isRefused) refusals.remember();
  refusals.count();
  call.facts.note('s3gw.copy.streamed', 'source refused');
  return done;
}

/**
 * Get Blob, and Put Blob with what comes: one change of the target, as it is by URL.
 * @throws StoreError tooLarge, sourceNotFound, sourceConditionFailed
 */
export async function streamCopy(
  client: AzureClient,
  target: BlobRef,
  request: CopyRequest,
  call: Call,
): Promise<WriteResult> {
  const { source, size, metadata, condition, md5, tier, sameHeaders } = request;
  if (size > client.limits.maxWrite) throw new StoreError('tooLarge', { call: 'copy' });
  const { properties, body } = await openSource(client, source, undefined, call);
  const stream = body.stream();
  try {
    const headers = sameHeaders === true ? properties : request.headers;
    const written = {
      metadata,
      headers,
      ...(md5 !== undefined && { md5 }),
      ...(tier !== undefined && { tier }),
      ...(condition !== undefined && { condition }),
    };
    const { revision, lastModified } = await write(
      client,
      { ref: target, body: { size, stream }, request: written },
      call,
    );
    return { revision, lastModified };
  } finally {
    stream.destroy();
  }
}

interface StreamedBlock {
  readonly source: CopySource;
  readonly range: Required<ByteRange>;
  /** Stores what comes. */
  readonly put: (body: StreamBody) => Promise<PartToken>;
}

/** Get Blob of a range, and Put Block with what comes. */
export async function streamBlock(
  client: AzureClient,
  { source, range, put }: StreamedBlock,
  call: Call,
): Promise<PartToken> {
  const { body } = await openSource(client, source, range, call);
  const stream = body.stream();
  try {
    return await put({ size: range.last - range.first + 1, stream });
  } finally {
    stream.destroy();
  }
}

async function openSource(
  client: AzureClient,
  source: CopySource,
  range: ByteRange | undefined,
  call: Call,
): Promise<ReadResult> {
  try {
    return await read(client, source, { revision: source.revision, ...(range !== undefined && { range }) }, call);
  } catch (error) {
    if (isStoreError(error, 'notFound', 'containerNotFound')) {
      throw new StoreError('sourceNotFound', { ...error.detail, cause: error });
    }
    if (!isStoreError(error, 'conditionFailed')) throw error;
    // An emulator says the same of a source that is gone.
    await checkSource(client, source, call);
    throw new StoreError('sourceConditionFailed', { ...error.detail, cause: error });
  }
}
