import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { blobsOf, containersOf } from '../../store/pages.ts';
import { OVERFLOWS } from '../heads/overflow.ts';
import { RECORD_NAME, decodeRecord } from '../records/record.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

/** How many overflow records are looked up at a time. Everything is listed once for each such group. */
const BATCH = 50_000;

/**
 * Removes overflow records that nothing refers to. They are shared, so age alone says nothing: all records of the
 * backend are searched for references. A process writes an overflow record again before it refers to it, which gives
 * the record a new revision. So a record that was old when it was listed, and to which nothing listed afterwards
 * refers, is removed on its revision. If anything cannot be read, nothing is removed.
 */
export async function sweepOverflow(run: SweepRun, tally: Tally, call: Call): Promise<void> {
  let candidates = new Map<string, BlobEntry>();
  for await (const page of run.pages(run.system, { prefix: OVERFLOWS }, call)) {
    for (const entry of blobsOf(page)) {
      if (run.isPastGrace(entry)) candidates.set(entry.name.slice(OVERFLOWS.length), lean(entry));
    }
    if (candidates.size < BATCH) continue;
    await sweepUnreferred(run, { tally, candidates }, call);
    candidates = new Map();
  }
  if (candidates.size > 0) await sweepUnreferred(run, { tally, candidates }, call);
}

/** What is kept of each record until all references have been looked for. */
function lean({ name, size, revision, lastModified }: BlobEntry): BlobEntry {
  return { kind: 'blob', name, size, revision, lastModified, metadata: {} };
}

async function sweepUnreferred(
  run: SweepRun,
  { tally, candidates }: { tally: Tally; candidates: Map<string, BlobEntry> },
  call: Call,
): Promise<void> {
  const strike = async (container: string, prefix: string): Promise<void> => {
    for await (const page of run.pages(container, { prefix }, call)) {
      for (const { metadata } of blobsOf(page)) {
        const overflow = decodeRecord(metadata[RECORD_NAME] ?? '')?.overflow;
        if (overflow !== undefined) candidates.delete(overflow);
      }
      if (candidates.size === 0) return;
    }
  };
  // Own blobs of versions first and heads last: a record moves from a head to a version's blob only by being written
  // anew.
  await strike(run.system, 'v/');
  for await (const { name } of containersOf(run.store, call)) {
    if (name !== run.system) await strike(name, '');
    if (candidates.size === 0) return;
  }
  await run.removeAll(tally, 'overflow', [...candidates.values()], call);
}
