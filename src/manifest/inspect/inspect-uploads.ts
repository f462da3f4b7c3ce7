import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { readClaim } from '../versions/upload-claim.ts';
import { initiatedAt, isUploadId, versionOfUpload } from '../records/upload-id.ts';
import { uploadsOfKey } from '../records/upload-names.ts';
import { listParts } from '../uploads/upload-parts.ts';
import { decodeSummary } from '../records/upload-record.ts';
import type { InspectedKey, InspectedUpload } from './inspected-key.ts';
import type { KeyRef } from '../records/key-ref.ts';

const MAX_UPLOADS = 20;
const MAX_PARTS = 1000;
const CONCURRENCY = 4;

/** Open uploads of a key, oldest first: one list call, and two calls for each upload. */
export async function inspectUploads(
  place: KeyRef,
  call: Call,
): Promise<Pick<InspectedKey, 'uploads' | 'moreUploads'>> {
  const { store, system } = place.bucket.home;
  const { prefix } = uploadsOfKey(place);
  const page = await store.list(system, { prefix, limit: MAX_UPLOADS + 1 }, call);
  const blobs = page.entries
    .filter((entry) => entry.kind === 'blob')
    .filter(({ name }) => isUploadId(name.slice(prefix.length)));
  const uploads = await mapConcurrent(blobs.slice(0, MAX_UPLOADS), CONCURRENCY, (entry) =>
    inspectUpload(place, entry, call),
  );
  return { uploads, moreUploads: blobs.length > MAX_UPLOADS || page.nextToken !== undefined };
}

async function inspectUpload(
  { bucket, key }: KeyRef,
  { name, metadata }: BlobEntry,
  call: Call,
): Promise<InspectedUpload> {
  const uploadId = name.slice(uploadsOfKey({ bucket, key }).prefix.length);
  const target = { bucket, key, uploadId };
  const [stored, { parts, isTruncated }] = await Promise.all([
    readClaim(target, call),
    listParts(target, { after: 0, limit: MAX_PARTS }, call),
  ]);
  return {
    ...decodeSummary(metadata),
    uploadId,
    initiatedAt: initiatedAt(uploadId),
    becomes: versionOfUpload(uploadId),
    parts,
    moreParts: isTruncated,
    ...(stored !== undefined && { claim: stored.claim.kind }),
  };
}
