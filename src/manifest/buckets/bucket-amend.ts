import { setTimeout as sleep } from 'node:timers/promises';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { at } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from './bucket.ts';
import { claim } from './bucket-lifecycle.ts';
import type { BucketRecord } from './bucket-record.ts';
import { type BucketStore, type StoredBucket, refuseDeleting } from './bucket-store.ts';

/** Turns against other writers of the record before the client is asked to slow down. */
const MAX_TURNS = 16;
/** Longest wait between two turns, in milliseconds: takes writers that collided apart. */
const MAX_WAIT_MS = 50;

/** The record as it shall be; the same object when it says so already. Asked on each state read; throws to refuse. */
export type BucketChange = (record: BucketRecord) => BucketRecord;

export interface BucketAmendment {
  readonly bucket: Bucket;
  readonly change: BucketChange;
  readonly now: () => number;
}

/**
 * Changes the record of a bucket by compare-and-swap. A container without a record gets one. A write
 * whose answer was lost goes round again: whoever finds his change there already has nothing left to do.
 */
export async function amendBucket(store: BucketStore, { bucket, change, now }: BucketAmendment, call: Call): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    if (turn > 0) await sleep(Math.random() * MAX_WAIT_MS, undefined, { signal: call.signal });
    const stored = await store.find(bucket.name, call);
    if (stored?.record.uid !== bucket.uid) throw new S3Error('NoSuchBucket', { extra: { BucketName: bucket.name } });
    refuseDeleting(stored.record, now());
    const record = change(stored.record);
    if (record === stored.record) return;
    if (await replaced(store, { bucket, stored, record }, call)) return;
  }
  throw new StoreError('throttled', { call: 'write', code: 'Contention' });
}

interface Replacement {
  readonly bucket: Bucket;
  readonly stored: StoredBucket;
  readonly record: BucketRecord;
}

/** @returns false when it has to be looked at again */
async function replaced(store: BucketStore, { bucket: { name }, stored, record }: Replacement, call: Call): Promise<boolean> {
  try {
    if (stored.revision === undefined) return (await claim(store, { backend: store.realm.backendOf(name), name, record }, call)) !== undefined;
    await store.write(name, record, at(stored.revision), call);
    return true;
  } catch (error) {
    if (isStoreError(error) && (error.kind === 'conditionFailed' || error.lost)) return false;
    throw error;
  }
}
