import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import type { Revision } from '../../store/blob-store.ts';
import type { BucketRecord, BucketState } from '../records/bucket-record.ts';
import { removeLeftContainer } from '../buckets/bucket-remains.ts';
import type { BucketStore } from '../buckets/bucket-store.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

/** The record of a bucket that is being made or deleted, or was deleted. */
export interface UnsettledBucket {
  readonly name: string;
  readonly record: BucketRecord & { readonly state: BucketState };
  readonly revision: Revision;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

interface BucketsSweep {
  readonly run: SweepRun;
  readonly store: BucketStore;
  readonly tally: Tally;
}

/**
 * Finishes what a CreateBucket or DeleteBucket left when its process died, and forgets deleted buckets. That happens
 * when the grace period has passed since the container was found to be gone: then no request for the old bucket is
 * under way any more, and its name is free as if it had never been used.
 */
export async function sweepBuckets(
  sweep: BucketsSweep,
  buckets: readonly UnsettledBucket[],
  call: Call,
): Promise<void> {
  const { run, tally } = sweep;
  for (const bucket of buckets) await run.step(tally, `bucket ${bucket.name}`, () => sweepRecord(sweep, bucket, call));
}

async function sweepRecord(sweep: BucketsSweep, bucket: UnsettledBucket, call: Call): Promise<void> {
  const { run, store, tally } = sweep;
  const { name, record, revision, lastModified } = bucket;
  const { state, ...live } = record;
  const act = (work: () => Promise<unknown>): Promise<void> => run.act(tally, { finding: 'buckets', name }, work);
  switch (state.kind) {
    case 'claimed':
      if (run.isPastGrace(bucket)) {
        await act(() => replace(store, bucket, { ...live, state: { kind: 'deleted', id: randomUUID() } }, call));
      }
      return;
    case 'deleting':
      if (run.isOlderThan(lastModified, run.settings.settleAfterMs)) {
        await act(() => replace(store, bucket, live, call));
      }
      return;
    case 'deleted':
      if (state.isGone !== true) {
        if (run.isOlderThan(lastModified, run.settings.settleAfterMs)) {
          await act(() => removeRemains(sweep, bucket, call));
        }
      } else if (run.isPastGrace(bucket)) {
        await act(() => store.remove(name, revision, call));
      }
  }
}

/** @returns false when another request was faster */
async function replace(
  store: BucketStore,
  { name, revision }: UnsettledBucket,
  record: BucketRecord,
  call: Call,
): Promise<boolean> {
  const isOurs = (found: BucketRecord): boolean => found.uid === record.uid && found.state?.kind === record.state?.kind;
  return (await store.swap(name, { record, from: revision, isOurs }, call)) !== undefined;
}

async function removeRemains({ store, tally }: BucketsSweep, bucket: UnsettledBucket, call: Call): Promise<boolean> {
  const { name, record } = bucket;
  if ((await removeLeftContainer(store, { name, stored: bucket }, call)) === 'left') {
    tally.problem(
      name,
      new Error(
        `container ${record.container} of this deleted bucket holds blobs that came after it had been found empty: look at them, and remove it`,
      ),
    );
    return false;
  }
  return replace(store, bucket, { ...record, state: { ...record.state, isGone: true } as BucketState }, call);
}
