import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobEntry, type BlobStore } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import {
  CLOCK_SLACK_MS,
  decodeUsage,
  decodeWritten,
  encodeUsage,
  isWritten,
  parseUsageName,
  type UsageOwner,
  type UsageRecord,
  usageName,
  usageOfBucket,
  type WrittenRecord,
} from '../records/usage-record.ts';

const EMPTY = new Uint8Array(0);

/** Where the records of a backend lie. */
interface UsagePlace {
  readonly store: BlobStore;
  readonly system: string;
}

/** All that is known of what lies in a bucket. */
export interface KnownUsage extends UsageOwner {
  readonly bucket: string;
  /** What the last pass has counted; undefined: none has been over yet. */
  readonly counted: UsageRecord | undefined;
  /** What processes have written, by their ids. */
  readonly written: ReadonlyMap<string, WrittenRecord>;
}

/**
 * Reads what is known of buckets: a list call for each thousand records.
 * @param prefix `usageOfBucket`, `usageOfAccount` or `ALL_USAGE`
 * @throws StoreError
 */
export async function readUsage(place: UsagePlace, prefix: string, call: Call): Promise<KnownUsage[]> {
  const found = new Map<string, Found>();
  for await (const entry of recordsUnder(place, prefix, call)) {
    const parsed = parseUsageName(entry.name);
    if (parsed === undefined) continue;
    const { folder, writer, ownerId, uid } = parsed;
    const known = found.get(folder) ?? { ownerId, uid, counted: undefined, written: new Map<string, WrittenRecord>() };
    found.set(folder, known);
    if (writer === undefined) known.counted = decodeUsage(entry.metadata);
    const written = writer === undefined ? undefined : decodeWritten(entry.metadata);
    if (writer !== undefined && written !== undefined) known.written.set(writer, written);
  }
  return [...found.values()].flatMap((known) => {
    const [first] = known.written.values();
    const bucket = known.counted?.bucket ?? first?.bucket;
    return bucket === undefined ? [] : [{ ...known, bucket }];
  });
}

interface Found extends UsageOwner {
  counted: UsageRecord | undefined;
  readonly written: Map<string, WrittenRecord>;
}

/**
 * Keeps what a pass has counted, unless a later pass is over already, and removes what writers have noted before the
 * pass began. @throws StoreError conditionFailed: another pass did so at the same time
 */
export async function keepUsage(bucket: Bucket, record: UsageRecord, call: Call): Promise<void> {
  const { store, system } = bucket.home;
  const own = usageName(bucket);
  let before: BlobEntry | undefined;
  const outdated: BlobEntry[] = [];
  for await (const entry of recordsUnder({ store, system }, usageOfBucket(bucket), call)) {
    if (entry.name === own) before = entry;
    else if (isWritten(entry.name) && entry.lastModified + CLOCK_SLACK_MS < record.startedAt) outdated.push(entry);
  }
  const kept = before && decodeUsage(before.metadata);
  if (kept !== undefined && kept.startedAt >= record.startedAt) return;
  const condition = before === undefined ? ABSENT : at(before.revision);
  await store.write({ container: system, name: own }, EMPTY, { metadata: encodeUsage(record), condition }, call);
  await store.removeMany(
    system,
    outdated.map(({ name, revision }) => ({ name, revision })),
    call,
  );
}

/** Removes what is known of a bucket that is gone. */
export async function forgetUsage(place: UsagePlace, bucket: UsageOwner, call: Call): Promise<void> {
  const names: { name: string }[] = [];
  for await (const { name } of recordsUnder(place, usageOfBucket(bucket), call)) names.push({ name });
  await removeForGood(place, names, call);
}

async function* recordsUnder({ store, system }: UsagePlace, prefix: string, call: Call): AsyncGenerator<BlobEntry> {
  try {
    for await (const page of pagesOf(store, system, { prefix }, call)) yield* blobsOf(page);
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
}
