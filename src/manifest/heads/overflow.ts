import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import type { BlobMetadata } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/bytes.ts';
import type { BucketHome } from '../records/bucket.ts';
import {
  type HeadRecord,
  type LinkHead,
  type OwnRecord,
  RECORD_NAME,
  RecordFormatError,
  type MarkerHead,
  decodeRecord,
  encodeRecord,
  joinOverflow,
  splitForOverflow,
  trimmed,
} from '../records/record.ts';
import { type RecordedBlob, withRecord } from './head.ts';

/** Leaves room for the service's own accounting and for fields that later heads add. */
const SLACK = 512;

/**
 * Metadata of a blob: native user metadata and the record. What does not fit into the service's
 * limit spills, before the blob is written, to an immutable content-addressed blob `o/<sha256>`;
 * everything that listings and conditions need stays on the blob itself.
 */
export async function blobMetadata(
  home: BucketHome,
  record: HeadRecord | OwnRecord,
  native: Readonly<Record<string, string>>,
  call: Call,
): Promise<BlobMetadata> {
  const whole = { ...native, [RECORD_NAME]: encodeRecord(record) };
  if (hasRoom(home, whole)) return whole;
  const { core, rest } = splitForOverflow(record);
  const bytes = Buffer.from(encodeRecord(rest));
  const overflow = createHash('sha256').update(bytes).digest('hex');
  // Written even if it is there already: that renews its age, so that a sweep by age cannot take it from under us.
  await home.store.write(overflowRef(home, overflow), bytes, { metadata: {} }, call);
  return { ...native, [RECORD_NAME]: encodeRecord({ ...core, overflow }) };
}

function hasRoom({ store }: BucketHome, metadata: BlobMetadata): boolean {
  let size = 0;
  for (const name in metadata) size += name.length + (metadata[name]?.length ?? 0);
  return size <= store.capabilities.maxMetadataBytes - SLACK;
}

/**
 * Metadata of a head that names a version's own blob, and repeats what stands there: so that whoever displaces
 * it can stamp the version without reading it. When there is no room for all of it, listings and conditions
 * get what they need, and the displacer has to read.
 */
export function linkMetadata(
  home: BucketHome,
  link: LinkHead | MarkerHead,
  native: Readonly<Record<string, string>>,
): BlobMetadata {
  const whole = { ...native, [RECORD_NAME]: encodeRecord(link) };
  return hasRoom(home, whole) ? whole : { [RECORD_NAME]: encodeRecord(trimmed(link)) };
}

/**
 * The blob with its whole record; costs a call only when something had spilled.
 * @throws StoreError unavailable (OverflowMissing): what had spilled is not there, because the blob was written anew
 * since it was read, or for good. Never `notFound`, which says of the blob itself that it is not there
 */
export async function withOverflow<R extends HeadRecord | OwnRecord, B extends RecordedBlob<R>>(
  home: BucketHome,
  blob: B,
  call: Call,
): Promise<B> {
  const { record } = blob;
  const overflow = overflowOf(record);
  if (record === undefined || overflow === undefined) return blob;
  const rest = decodeRecord((await readOverflow(home, overflow, call)).toString());
  if (rest === undefined) throw new RecordFormatError(`overflow ${overflow}`);
  return { ...blob, ...withRecord(blob, joinOverflow(record, rest)) };
}

/** Whether a part of its record lies elsewhere. */
export function hasSpilled({ record }: { readonly record: HeadRecord | OwnRecord | undefined }): boolean {
  return overflowOf(record) !== undefined;
}

export function overflowOf(record: HeadRecord | OwnRecord | undefined): string | undefined {
  return record === undefined || !('overflow' in record) ? undefined : record.overflow;
}

async function readOverflow(home: BucketHome, overflow: string, call: Call): Promise<Buffer> {
  try {
    const { body } = await home.store.read(overflowRef(home, overflow), {}, call);
    return await readAll(body);
  } catch (error) {
    throw isStoreError(error, 'notFound')
      ? new StoreError('unavailable', { call: 'read', code: OVERFLOW_MISSING, cause: error })
      : error;
  }
}

const OVERFLOW_MISSING = 'OverflowMissing';

/** A blob said that its record goes on elsewhere, and there was nothing: perhaps it says something else by now. */
export function isOverflowMissing(error: unknown): boolean {
  return isStoreError(error, 'unavailable') && error.detail.code === OVERFLOW_MISSING;
}

/** All spilled records of a backend. */
export const OVERFLOWS = 'o/';

function overflowRef(home: BucketHome, sha256: string): { container: string; name: string } {
  return { container: home.system, name: OVERFLOWS + sha256 };
}
