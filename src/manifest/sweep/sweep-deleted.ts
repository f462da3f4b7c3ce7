import type { Call } from '../../observe/call.ts';
import type { BlobEntry, StagedNames } from '../../store/blob-store.ts';
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
function ghostBucket({ backend, store, system }: SweepRun, uid: string): Bucket {
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

/** Parts whose uploads are looked for at a time; for each so many, the records of all uploads are listed once. */
const BATCH = 20_000;

/**
 * Parts where they are blobs of their own: of a process that died between staging and recording one, of attempts that
 * another replaced, of a Complete that could not tidy up. Their names do not say whose they are, but those of an upload
 * are known; so the records of all uploads are listed, after the parts, and what is past the grace and none of theirs
 * goes: a part that is needed has a record, or was staged a moment ago.
 */
export async function sweepStaged(run: SweepRun, tally: Tally, call: Call): Promise<void> {
  const { staged } = run.store;
  if (staged === undefined) return;
  let candidates: BlobEntry[] = [];
  for await (const page of run.pages(run.system, { prefix: staged.prefix }, call)) {
    for (const entry of blobsOf(page)) if (run.isPastGrace(entry)) candidates.push(lean(entry));
    if (candidates.length < BATCH) continue;
    await sweepUnowned(run, { tally, staged, candidates }, call);
    candidates = [];
  }
  if (candidates.length > 0) await sweepUnowned(run, { tally, staged, candidates }, call);
}

interface Batch {
  readonly tally: Tally;
  readonly staged: StagedNames;
  readonly candidates: readonly BlobEntry[];
}

/** A record that cannot be read ends it: some of the parts may be its. */
async function sweepUnowned(run: SweepRun, { tally, staged, candidates }: Batch, call: Call): Promise<void> {
  const owned = new Set<string>();
  const wanted = new Set(candidates.map(({ name }) => folderOf(name)));
  for await (const page of run.pages(run.system, { prefix: 'u/' }, call)) {
    for (const entry of blobsOf(page)) {
      const prefix = prefixOf(run, staged, entry);
      if (wanted.has(prefix)) owned.add(prefix);
    }
  }
  await run.removeAll(
    tally,
    'staged',
    candidates.filter(({ name }) => !owned.has(folderOf(name))),
    call,
  );
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

/** Where the parts of the upload lie that a record is of. @throws Error when it cannot be read */
function prefixOf(run: SweepRun, staged: StagedNames, { name, metadata }: BlobEntry): string {
  const bucket = ghostBucket(run, name.split('/')[1] ?? '');
  const named = parseUploadName(bucket, name);
  const key = named?.key ?? decodeSummary(metadata).key;
  if (named === undefined || key === undefined) {
    throw new Error(`${name} is no record of an upload that this release can read`);
  }
  return staged.prefixOf(stagingRef({ bucket, key, uploadId: named.uploadId }));
}

/** What is kept of each until all have been looked for. */
function lean({ name, size, revision, lastModified }: BlobEntry): BlobEntry {
  return { kind: 'blob', name, size, revision, lastModified, metadata: {} };
}
