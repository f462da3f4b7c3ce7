import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import { abortUpload } from '../uploads/upload-abort.ts';
import { initiatedAt, isUploadId } from '../records/upload-id.ts';
import { parseUploadName, partsPrefix, uploadsPrefix } from '../records/upload-names.ts';
import { removePartRecords } from '../uploads/upload-parts.ts';
import { decodeSummary } from '../records/upload-record.ts';
import { readTombstone, tombstoneOf, TOMBSTONES } from '../versions/upload-tombstone.ts';
import type { Tally } from './sweep-report.ts';
import type { BucketSweep, SweepRun } from './sweep-run.ts';

/** Uploads whose parts are looked into at a time; for each so many, the records of all uploads are listed once. */
const BATCH = 20_000;

/**
 * Upload records that a Complete left behind: its tombstone stands. Open uploads go only if they are older than what
 * was asked for.
 */
export async function sweepUploads({ run, bucket, tally }: BucketSweep, call: Call): Promise<void> {
  for await (const page of run.pages(run.system, { prefix: uploadsPrefix(bucket) }, call)) {
    const old = blobsOf(page).filter((entry) => run.isPastGrace(entry));
    await run.each(old, (entry) => run.step(tally, entry.name, () => sweepUpload({ run, bucket, tally }, entry, call)));
  }
}

async function sweepUpload({ run, bucket, tally }: BucketSweep, entry: BlobEntry, call: Call): Promise<void> {
  const named = parseUploadName(bucket, entry.name);
  const key = named === undefined ? undefined : (named.key ?? decodeSummary(entry.metadata).key);
  if (named === undefined || key === undefined) return;
  const { uploadId } = named;
  if ((await readTombstone(bucket.home, uploadId, call)) !== undefined) {
    await run.act(tally, { finding: 'uploads', name: entry.name }, async () => {
      await removePartRecords(bucket.home, uploadId, call);
      await run.store.remove({ container: run.system, name: entry.name }, entry.revision, call);
    });
    return;
  }
  const { uploadsOlderThanMs } = run.settings;
  if (uploadsOlderThanMs === undefined || !run.isOlderThan(initiatedAt(uploadId), uploadsOlderThanMs)) return;
  await run.act(tally, { finding: 'aborted', name: entry.name }, async () => {
    try {
      await abortUpload({ bucket, key, uploadId }, call);
      return true;
    } catch (error) {
      if (isS3Error(error, 'NoSuchUpload') || isS3Error(error, 'OperationAborted')) return false;
      throw error;
    }
  });
}

/**
 * Part records of uploads that have no record any more. Their ids say when they were initiated, and nothing says of
 * which key; so the ids of all uploads are listed, and those that are left over are of uploads that are over.
 */
export async function sweepParts(run: SweepRun, tally: Tally, call: Call): Promise<void> {
  let candidates = new Set<string>();
  for await (const page of run.pages(run.system, { prefix: 'p/', delimiter: '/' }, call)) {
    for (const { name } of page) {
      const uploadId = name.slice('p/'.length, -1);
      if (isUploadId(uploadId) && run.isOlderThan(initiatedAt(uploadId), run.settings.graceMs)) {
        candidates.add(uploadId);
      }
    }
    if (candidates.size < BATCH) continue;
    await sweepPartsOf(run, { tally, candidates }, call);
    candidates = new Set();
  }
  if (candidates.size > 0) await sweepPartsOf(run, { tally, candidates }, call);
}

async function sweepPartsOf(
  run: SweepRun,
  { tally, candidates }: { tally: Tally; candidates: Set<string> },
  call: Call,
): Promise<void> {
  for await (const page of run.pages(run.system, { prefix: 'u/' }, call)) {
    for (const { name } of page) candidates.delete(name.slice(name.lastIndexOf('!') + 1));
  }
  await run.each([...candidates], async (uploadId) => {
    for await (const page of run.pages(run.system, { prefix: partsPrefix(uploadId) }, call)) {
      await run.removeAll(
        tally,
        'parts',
        blobsOf(page).filter((entry) => run.isPastGrace(entry)),
        call,
      );
    }
  });
}

/**
 * Notes of how uploads were completed. Only after the records of such uploads are gone: a Complete that is repeated
 * must find either no record or the note.
 * @param isClear whether the bucket with this uid has none of these records any more
 */
export async function sweepTombstones(
  run: SweepRun,
  { tally, isClear }: { tally: Tally; isClear: (uid: string) => boolean },
  call: Call,
): Promise<void> {
  const age = Math.max(run.settings.tombstoneMs, run.settings.graceMs);
  for await (const page of run.pages(run.system, { prefix: TOMBSTONES }, call)) {
    const old = blobsOf(page).filter(({ lastModified, metadata }) => {
      const uid = tombstoneOf(metadata)?.bucketUid;
      return uid !== undefined && isClear(uid) && run.isOlderThan(lastModified, age);
    });
    await run.removeAll(tally, 'tombstones', old, call);
  }
}
