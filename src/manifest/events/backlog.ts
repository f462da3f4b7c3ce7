import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { ABSENT, type BlobEntry, type Condition, at } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { readAll } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Destination, ObjectEvent } from '../records/change-intent.ts';
import { toAsciiJson } from '../records/fields.ts';
import { RECORD_NAME } from '../records/record.ts';

/** All backlogs of a backend. */
export const ALL_BACKLOGS = 'q/';
/** Most events of one blob. */
const MOST = 500;
const INDEX_DIGITS = 12;

/** A blob with events of one destination, in their order. */
export interface BacklogBatch extends Destination {
  readonly bucket: string;
  readonly entry: BlobEntry;
  readonly index: number;
  readonly count: number;
  /** When its first event happened; milliseconds since the epoch. */
  readonly since: number;
  /** Why this release cannot read it. Who asks for its events, and how many these are, is not known then. */
  readonly fault?: unknown;
}

interface Summary extends Destination {
  readonly bucket: string;
  readonly count: number;
  readonly since: number;
}

export function destinationName({ ruleId, target }: Destination): string {
  return createHash('sha256')
    .update(JSON.stringify([ruleId, target]))
    .digest('hex')
    .slice(0, 16);
}

function folderOf({ uid }: Bucket): string {
  return `${ALL_BACKLOGS}${uid}/`;
}

/**
 * The backlogs of a bucket by destination, each in its order. Reads no events. A batch that cannot be read is one of
 * them: what stands behind it has to wait.
 */
export async function listBacklog(bucket: Bucket, call: Call): Promise<Map<string, BacklogBatch[]>> {
  const { store, system } = bucket.home;
  const found = new Map<string, BacklogBatch[]>();
  for await (const page of pagesOf(store, system, { prefix: folderOf(bucket) }, call)) {
    for (const entry of blobsOf(page)) {
      const name = destinationIn(entry);
      const batch = batchOrFault(entry);
      const others = found.get(name);
      if (others === undefined) found.set(name, [batch]);
      else others.push(batch);
    }
  }
  return found;
}

/** Names the destination of a batch, also of one that cannot be read. */
export function destinationIn({ name }: BlobEntry): string {
  return name.split('/').at(-2) ?? '';
}

function batchOrFault(entry: BlobEntry): BacklogBatch {
  try {
    return batchOf(entry);
  } catch (fault) {
    const unknown = { bucket: '', ruleId: '', target: '', count: 1, since: entry.lastModified };
    return { ...unknown, entry, index: indexOf(entry), fault };
  }
}

function indexOf({ name }: BlobEntry): number {
  return Number.parseInt(name.slice(name.lastIndexOf('/') + 1), 16);
}

/** @throws Error for one that this release cannot read */
export function batchOf(entry: BlobEntry): BacklogBatch {
  const summary = JSON.parse(entry.metadata[RECORD_NAME] ?? '{}') as Partial<Summary>;
  const { bucket, ruleId, target, count, since } = summary;
  if (bucket === undefined || ruleId === undefined || target === undefined || count === undefined) {
    throw new Error(`${entry.name} is no backlog that this release can read`);
  }
  return { bucket, ruleId, target, count, since: since ?? 0, entry, index: indexOf(entry) };
}

/** @throws UnreadableBatch; StoreError */
export async function readBatch(
  bucket: Bucket,
  { entry, fault }: BacklogBatch,
  call: Call,
): Promise<readonly ObjectEvent[]> {
  if (fault !== undefined) throw new UnreadableBatch(entry, fault);
  const { store, system } = bucket.home;
  const { body } = await store.read({ container: system, name: entry.name }, {}, call);
  const text = (await readAll(body)).toString();
  try {
    return JSON.parse(text) as readonly ObjectEvent[];
  } catch (error) {
    throw new UnreadableBatch(entry, error);
  }
}

/** Events that a later release has written, or that are damaged. */
export class UnreadableBatch extends Error {
  constructor({ name }: BlobEntry, cause: unknown) {
    super(`${name} cannot be read: what it holds and what came later waits`, { cause });
  }
}

/**
 * Writes events behind those of their destination. @returns the new end of the backlog
 * @throws StoreError conditionFailed: another process writes there, too
 */
export async function appendEvents(
  bucket: Bucket,
  { destination, last, events }: Appended,
  call: Call,
): Promise<readonly BacklogBatch[]> {
  const written: BacklogBatch[] = [];
  for (let first = 0; first < events.length; first += MOST) {
    const part = events.slice(first, first + MOST);
    const index = (last?.index ?? 0) + written.length + 1;
    const name = `${folderOf(bucket)}${destinationName(destination)}/${index.toString(16).padStart(INDEX_DIGITS, '0')}`;
    written.push(await writeBatch(bucket, { name, destination, events: part, condition: ABSENT }, call));
  }
  return written;
}

interface Appended {
  readonly destination: Destination;
  /** The end of the backlog; undefined: there is none. */
  readonly last: BacklogBatch | undefined;
  readonly events: readonly ObjectEvent[];
}

/**
 * Leaves of a batch what was not sent. @throws StoreError conditionFailed: another process has changed it
 */
export function keepRest(
  bucket: Bucket,
  { ruleId, target, entry: { name, revision } }: BacklogBatch,
  events: readonly ObjectEvent[],
  call: Call,
): Promise<BacklogBatch> {
  return writeBatch(bucket, { name, destination: { ruleId, target }, events, condition: at(revision) }, call);
}

interface WrittenBatch {
  readonly name: string;
  readonly destination: Destination;
  readonly events: readonly ObjectEvent[];
  readonly condition: Condition;
}

async function writeBatch(
  bucket: Bucket,
  { name, destination, events, condition }: WrittenBatch,
  call: Call,
): Promise<BacklogBatch> {
  const { store, system } = bucket.home;
  const since = events[0]?.time ?? 0;
  const summary: Summary = { bucket: bucket.name, ...destination, count: events.length, since };
  const metadata = { [RECORD_NAME]: toAsciiJson(summary) };
  const body = Buffer.from(JSON.stringify(events));
  const result = await store.write({ container: system, name }, body, { metadata, condition }, call);
  return batchOf({ kind: 'blob', name, size: body.length, metadata, ...result });
}

/** Removes batches that were sent, or are given up, as they were listed. */
export async function removeBatches(bucket: Bucket, batches: readonly BacklogBatch[], call: Call): Promise<void> {
  const items = batches.map(({ entry: { name, revision } }) => ({ name, revision }));
  await removeForGood(bucket.home, items, call);
}
