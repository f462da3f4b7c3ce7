import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { sweepHeads } from '../../../src/manifest/sweep/sweep-heads.ts';
import { sweepIndex } from '../../../src/manifest/sweep/sweep-index.ts';
import { Tally } from '../../../src/manifest/sweep/sweep-report.ts';
import { SWEEP_DEFAULTS, SweepRun } from '../../../src/manifest/sweep/sweep-run.ts';
import { sweepVersions } from '../../../src/manifest/sweep/sweep-versions.ts';
import type { Call } from '../../../src/observe/call.ts';

/** What a sweep does to the keys of a bucket, with the grace that it has in earnest. */
export async function sweepKeys(bucket: Bucket, now: number, call: Call): Promise<void> {
  const { store, system, backend } = bucket.home;
  const run = new SweepRun(
    { ...SWEEP_DEFAULTS, concurrency: 2 },
    { name: backend, store, systemContainer: system, ownerId: bucket.ownerId },
    now,
  );
  const own = { run, bucket, tally: new Tally() };
  await run.step(own.tally, 'versions', () => sweepVersions(own, call));
  if (bucket.versioning === 'never') return;
  await run.step(own.tally, 'heads', () => sweepHeads(own, async () => true, call));
  await run.step(own.tally, 'index', () => sweepIndex(own, call));
}
