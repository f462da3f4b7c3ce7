import type { Call } from '../../observe/call.ts';
import { blobsOf } from '../../store/pages.ts';
import { intentsPrefix } from '../records/change-intent.ts';
import type { BucketSweep } from './sweep-run.ts';

/** Gateways with targets of events send within seconds, and give up themselves what they cannot resolve in a day. */
const FORGOTTEN_AFTER_MS = 25 * 60 * 60_000;

/**
 * Announcements of changes that nobody has looked at. As long as the bucket asks for events, they are kept for as long
 * as events wait for their receivers: gateways may have been stopped, or without targets, for days.
 */
export async function sweepIntents({ run, bucket, tally }: BucketSweep, call: Call): Promise<void> {
  const { graceMs, eventAgeMs } = run.settings;
  const asksForEvents = (bucket.settings.notifications ?? []).length > 0;
  const age = Math.max(graceMs, FORGOTTEN_AFTER_MS, asksForEvents ? eventAgeMs : 0);
  for await (const page of run.pages(run.system, { prefix: intentsPrefix(bucket) }, call)) {
    const old = blobsOf(page).filter(({ lastModified }) => run.isOlderThan(lastModified, age));
    await run.removeAll(tally, 'events', old, call);
  }
}
