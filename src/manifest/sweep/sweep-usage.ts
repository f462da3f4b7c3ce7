import type { Call } from '../../observe/call.ts';
import { blobsOf } from '../../store/pages.ts';
import { isPlacedUid } from '../buckets/container-names.ts';
import { ALL_USAGE, CLOCK_SLACK_MS, isWritten, uidOfUsage } from '../records/usage-record.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

/**
 * Removes what processes have noted of writes under quotas and no pass over usage has removed: no quota goes by a note
 * that was not renewed for longer than quotas go by counts. Removes all that is known of buckets that are gone.
 * @param liveUids of all buckets, looked up before: a bucket that was made since has no record past the grace
 */
export async function sweepUsage(
  run: SweepRun,
  { tally, liveUids }: { readonly tally: Tally; readonly liveUids: ReadonlySet<string> },
  call: Call,
): Promise<void> {
  const { graceMs, quotaAgeMs } = run.settings;
  const age = Math.max(graceMs, quotaAgeMs + CLOCK_SLACK_MS);
  const isGone = (name: string): boolean => {
    const uid = uidOfUsage(name);
    // The configuration may name the part of a container again later.
    return uid !== undefined && !liveUids.has(uid) && !isPlacedUid(uid);
  };
  for await (const page of run.pages(run.system, { prefix: ALL_USAGE }, call)) {
    const { gone = [], there = [] } = Object.groupBy(
      blobsOf(page).filter((entry) => run.isPastGrace(entry)),
      ({ name }) => (isGone(name) ? 'gone' : 'there'),
    );
    await run.removeAll(tally, 'deletedBuckets', gone, call);
    const old = there.filter((entry) => isWritten(entry.name) && run.isOlderThan(entry.lastModified, age));
    await run.removeAll(tally, 'written', old, call);
  }
}
