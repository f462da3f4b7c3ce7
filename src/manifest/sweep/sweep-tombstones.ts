import type { Call } from '../../observe/call.ts';
import { blobsOf } from '../../store/pages.ts';
import { TOMBSTONES, tombstoneOf } from '../versions/upload-tombstone.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

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
