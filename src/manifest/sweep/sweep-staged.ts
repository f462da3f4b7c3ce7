import type { Call } from '../../observe/call.ts';
import type { BlobEntry, StagedNames } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import { parseUploadName, stagingRef } from '../records/upload-names.ts';
import { decodeSummary } from '../records/upload-record.ts';
import { ghostBucket } from './sweep-deleted.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

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
