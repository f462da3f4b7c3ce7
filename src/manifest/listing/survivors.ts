import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import type { Bucket } from '../records/bucket.ts';
import { readHead } from '../heads/object-read.ts';
import { isLocked } from '../versions/remove-blob.ts';
import { RECORD_NAME, decodeRecord } from '../records/record.ts';
import { RegionReader } from './region-reader.ts';
import { versionsRegion } from './version-region.ts';

const FIRST_LOOK = 100;

interface SurvivorSearch {
  readonly prefix: string;
  /** Backend calls after which it is taken for true. */
  readonly maxCalls: number;
  /**
   * Counts those that object lock holds at this time (milliseconds since the epoch) also where nothing says any more
   * that they were part of the history: nothing says that they were not.
   */
  readonly lockedAt?: number;
}

/** Whether versions lie beneath a prefix whose key has no head: only a tool of the cloud can have removed it. */
export async function holdsSurvivor(
  bucket: Bucket,
  { prefix, maxCalls, lockedAt }: SurvivorSearch,
  call: Call,
): Promise<boolean> {
  const region = versionsRegion(bucket, { prefix, delimiter: '' });
  const reader = new RegionReader(bucket, region, region.prefix);
  let ask = FIRST_LOOK;
  let headed: string | undefined;
  let calls = 0;
  while (!reader.isDone) {
    const { entries } = await reader.read(ask, call);
    calls += 1;
    for (const { key, blob } of entries) {
      if (key === headed || !key.startsWith(prefix) || !isHeld(blob, lockedAt)) continue;
      if (calls >= maxCalls || (await readHead({ bucket, key }, call)) === undefined) return true;
      headed = key;
      calls += 1;
    }
    ask = bucket.home.store.capabilities.maxListPage;
  }
  return false;
}

/** Part of its key's history as long as no head says that it is deleted, or locked. */
function isHeld(blob: BlobEntry | undefined, lockedAt: number | undefined): boolean {
  const record = decodeRecord(blob?.metadata[RECORD_NAME] ?? '');
  return (record?.stamp === true && record.isNull !== true) || (lockedAt !== undefined && isLocked(record, lockedAt));
}
