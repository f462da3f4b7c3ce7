import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import type { BlobMetadata } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/read-all.ts';
import type { BucketHome } from '../records/bucket.ts';
import type { Head } from './head.ts';
import { type ObjectRecord, RECORD_NAME, decodeRecord, encodeRecord } from '../records/record.ts';

/** Leaves room for the service's own accounting and for fields that later heads add. */
const SLACK = 512;

/**
 * Metadata of a blob: native user metadata and the record. What does not fit into the service's
 * limit spills, before the blob is written, to an immutable content-addressed blob `o/<sha256>`;
 * everything that listings and conditions need stays on the blob itself.
 */
export async function blobMetadata(
  home: BucketHome,
  record: ObjectRecord,
  native: Readonly<Record<string, string>>,
  call: Call,
): Promise<BlobMetadata> {
  const limit = home.store.capabilities.maxMetadataBytes - SLACK;
  const encoded = encodeRecord(record);
  if (sizeOf(native) + encoded.length + RECORD_NAME.length <= limit) return { ...native, [RECORD_NAME]: encoded };

  const { userMetadata, parts, tags, headers, expires, websiteRedirect, acl, ...core } = record;
  const rest: ObjectRecord = {
    kind: record.kind,
    seq: record.seq,
    ...(userMetadata !== undefined && { userMetadata }),
    ...(parts !== undefined && { parts }),
    ...(tags !== undefined && { tags }),
    ...(headers !== undefined && { headers }),
    ...(expires !== undefined && { expires }),
    ...(websiteRedirect !== undefined && { websiteRedirect }),
    ...(acl !== undefined && { acl }),
  };
  const bytes = Buffer.from(encodeRecord(rest));
  const overflow = createHash('sha256').update(bytes).digest('hex');
  // Written even if it is there already: that renews its age, so that a sweep by age cannot take it from under us.
  await home.store.write(overflowRef(home, overflow), bytes, { metadata: {} }, call);
  return { ...native, [RECORD_NAME]: encodeRecord({ ...core, overflow }) };
}

/**
 * Metadata of a head that names a version's own blob, and repeats what stands there: so that whoever displaces
 * it can stamp the version without reading it. When there is no room for all of it, listings and conditions
 * get what they need, and the displacer has to read.
 */
export function linkMetadata({ store }: BucketHome, link: ObjectRecord, native: Readonly<Record<string, string>>): BlobMetadata {
  const encoded = encodeRecord(link);
  const whole = sizeOf(native) + encoded.length + RECORD_NAME.length <= store.capabilities.maxMetadataBytes - SLACK;
  if (whole) return { ...native, [RECORD_NAME]: encoded };
  const { userMetadata: _m, parts: _p, tags: _t, headers: _g, expires: _x, websiteRedirect: _w, acl: _a, lock: _l, rev: _rev, overflow: _o, ...core } = link;
  return { [RECORD_NAME]: encodeRecord(core) };
}

/**
 * The head with its whole record; costs a call only when something had spilled.
 * @throws StoreError unavailable (OverflowMissing): what had spilled is not there, because the blob was written anew since it was
 * read, or for good. Never `notFound`, which says of the blob itself that it is not there
 */
export async function withOverflow(home: BucketHome, head: Head, call: Call): Promise<Head> {
  const { record } = head;
  if (record?.overflow === undefined) return head;
  const rest = decodeRecord((await readOverflow(home, record.overflow, call)).toString());
  if (rest === undefined) throw new Error(`overflow record ${record.overflow} is damaged`);
  const { overflow: _overflow, ...core } = record;
  const whole = { ...rest, ...core };
  return { ...head, record: whole, userMetadata: { ...head.userMetadata, ...whole.userMetadata } };
}

async function readOverflow(home: BucketHome, overflow: string, call: Call): Promise<Buffer> {
  try {
    const { body } = await home.store.read(overflowRef(home, overflow), {}, call);
    return await readAll(body);
  } catch (error) {
    throw isStoreError(error, 'notFound') ? new StoreError('unavailable', { call: 'read', code: OVERFLOW_MISSING, cause: error }) : error;
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

function sizeOf(metadata: Readonly<Record<string, string>>): number {
  let size = 0;
  for (const name in metadata) size += name.length + (metadata[name]?.length ?? 0);
  return size;
}
