import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import type { Bucket } from '../records/bucket.ts';
import { isLocked } from '../versions/remove-blob.ts';
import { recordIn } from '../records/metadata.ts';
import { parseVersionName } from '../records/version-names.ts';
import { isUploadToken } from '../records/version-token.ts';
import { parseUploadName, stagingRef } from '../records/upload-names.ts';
import { removePartRecords } from '../uploads/upload-parts.ts';
import { decodeSummary } from '../records/upload-record.ts';
import { BUCKET_REGIONS } from './census.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

/** Removes all that a deleted bucket left. The bucket was empty when it was deleted, so no object needs any of it. */
export async function sweepDeleted(
  run: SweepRun,
  { tally, uid }: { tally: Tally; uid: string },
  call: Call,
): Promise<void> {
  const bucket = ghostBucket(run, uid);
  for (const region of BUCKET_REGIONS) {
    for await (const page of run.pages(run.system, { prefix: `${region}${uid}/` }, call)) {
      const old = blobsOf(page).filter((entry) => run.isPastGrace(entry) && mayGo(run, tally, entry));
      if (!run.settings.dryRun) await run.each(old, (entry) => freeParts(run, bucket, entry, call));
      await run.removeAll(tally, 'deletedBuckets', old, call);
    }
  }
}

/** A bucket that is deleted has no locked version. One that lost its record to a tool of the cloud may have. */
function mayGo(run: SweepRun, tally: Tally, { name, metadata }: BlobEntry): boolean {
  try {
    if (!name.startsWith('v/') || !isLocked(recordIn(metadata), run.now)) return true;
    tally.count('locked').found += 1;
  } catch (error) {
    tally.problem(name, error);
  }
  return false;
}

/** The parts of a bucket that names in the system container are made of. */
export function ghostBucket({ backend, store, system }: SweepRun, uid: string): Bucket {
  const home = { backend: backend.name, store, container: '', system };
  return { name: '', uid, ownerId: '', createdAt: 0, versioning: 'never', settings: {}, home };
}

/** Removes what was staged for an upload, before the name that leads to it is removed. */
async function freeParts(run: SweepRun, bucket: Bucket, { name, metadata }: BlobEntry, call: Call): Promise<void> {
  const version = name.startsWith('v/') ? parseVersionName(bucket, name) : undefined;
  if (version !== undefined && isUploadToken(version.token)) {
    await run.store.discardParts({ container: run.system, name }, call);
  }
  const upload = name.startsWith('u/') ? parseUploadName(bucket, name) : undefined;
  if (upload === undefined) return;
  await removePartRecords(bucket.home, upload.uploadId, call);
  const key = upload.key ?? decodeSummary(metadata).key;
  if (key !== undefined) await run.store.discardParts(stagingRef({ bucket, key, uploadId: upload.uploadId }), call);
}
