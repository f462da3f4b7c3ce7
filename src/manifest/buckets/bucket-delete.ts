import { randomUUID } from 'node:crypto';
import { S3Error } from '../../errors/s3-error.ts';
import { type Call, withSignal } from '../../observe/call.ts';
import type { Revision } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { timeOf } from '../records/time.ts';
import type { Bucket } from '../records/bucket.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import { removeLeftovers } from './bucket-remains.ts';
import { type BucketStore, type StoredBucket, toBucket } from './bucket-store.ts';

/** What taking the mark away may take, when DeleteBucket itself has run out of time. Milliseconds. */
const UNMARK_MS = 10_000;
/** Sends of the removal, and rounds of clearing leftovers. */
const MAX_ROUNDS = 3;

interface DeleteBucketRequest {
  readonly bucket: Bucket;
  readonly isEmpty: (call: Call) => Promise<boolean>;
  /** Resolves when no process can answer anything any more by a record that it read before now. */
  readonly othersHaveForgotten: (call: Call) => Promise<void>;
}

/** One DeleteBucket at work. */
interface Deletion {
  readonly store: BucketStore;
  readonly name: string;
  readonly id: string;
}

/**
 * Azure deletes a container with everything in it, so emptiness is ours to prove, on both clouds the same way, and not
 * by time: mark the record; wait until no process writes without having seen the mark, or answers a write without
 * looking again; look; put a tombstone in the place of the mark, which fails if a request has taken the mark away. Only
 * then is the container removed (docs/decisions/0015-containers-and-fences.md).
 * @throws S3Error BucketNotEmpty, NoSuchBucket, OperationAborted (the bucket lives on)
 */
export async function deleteBucket(store: BucketStore, request: DeleteBucketRequest, call: Call): Promise<void> {
  const { bucket, isEmpty } = request;
  const deletion: Deletion = { store, name: bucket.name, id: randomUUID() };
  if (!(await isEmpty(call))) {
    if (bucket.isMarked === true) await unmarkOther(deletion, bucket, call);
    throw notEmpty(bucket.name);
  }
  const marked = await mark(deletion, bucket, call);
  let tombstone: Revision;
  try {
    await request.othersHaveForgotten(call);
    if (!(await isEmpty(call))) throw notEmpty(bucket.name);
    tombstone = await bury(deletion, marked, call);
  } catch (error) {
    await unmark(deletion, marked, call);
    throw error;
  }
  await removeContainer(deletion, { marked, tombstone }, call);
}

type Marked = Required<Pick<StoredBucket, 'record' | 'revision'>>;

/** Takes the place of another DeleteBucket's mark, whose work comes to nothing by that. */
async function mark({ store, name, id }: Deletion, bucket: Bucket, call: Call): Promise<Marked> {
  const stored = await store.find(name, call);
  const { state } = stored?.record ?? {};
  if (stored?.record.uid !== bucket.uid || state?.kind === 'claimed' || state?.kind === 'deleted') {
    throw new S3Error('NoSuchBucket', { extra: { BucketName: name } });
  }
  const record: BucketRecord = { ...stored.record, state: { kind: 'deleting', id } };
  const revision = await store.swap(
    name,
    { record, from: stored.revision, isOurs: ({ state: found }) => found?.kind === 'deleting' && found.id === id },
    call,
  );
  if (revision === undefined) throw new S3Error('OperationAborted');
  return { record, revision };
}

/** The commit: from here on the bucket is no more. */
async function bury({ store, name, id }: Deletion, marked: Marked, call: Call): Promise<Revision> {
  const record: BucketRecord = { ...marked.record, state: { kind: 'deleted', id } };
  const isOurs = ({ state }: BucketRecord): boolean => state?.kind === 'deleted' && state.id === id;
  const revision = await store.swap(name, { record, from: marked.revision, isOurs }, call);
  if (revision === undefined) throw new S3Error('OperationAborted');
  return revision;
}

/** As far as it goes: a process that meets a mark for long enough takes it away. */
async function unmark(deletion: Deletion, { record, revision }: Marked, call: Call): Promise<void> {
  const time = timeOf(deletion.store.realm.backendOf(deletion.name));
  await bringBack(deletion, { record, revision }, withSignal(call, time.timeout(UNMARK_MS))).catch(() => undefined);
}

/**
 * Takes away the mark of another DeleteBucket, in whose place this one has been asked: if that died, no request has to
 * wait for the bucket. If it lives, it comes to nothing, as when its mark is taken over. As far as it goes.
 */
async function unmarkOther(deletion: Deletion, bucket: Bucket, call: Call): Promise<void> {
  const stored = await deletion.store.find(bucket.name, call).catch(() => undefined);
  const { uid, state } = stored?.record ?? {};
  if (stored?.revision === undefined || uid !== bucket.uid || state?.kind !== 'deleting') return;
  await unmark(deletion, { record: stored.record, revision: stored.revision }, call);
}

/** @returns false when another request was faster */
async function bringBack({ store, name }: Deletion, { record, revision }: Marked, call: Call): Promise<boolean> {
  const { state: _state, ...live } = record;
  const isOurs = (found: BucketRecord): boolean => found.uid === live.uid && found.state === undefined;
  return (await store.swap(name, { record: live, from: revision, isOurs }, call)) !== undefined;
}

/**
 * Nobody can bring a deleted bucket back, but for this: the service refused to remove a container because it is not
 * empty, so it has removed nothing, and would not later either.
 */
async function removeContainer(
  deletion: Deletion,
  { marked, tombstone }: { marked: Marked; tombstone: Revision },
  call: Call,
): Promise<void> {
  const { store, name } = deletion;
  const { record } = marked;
  const backend = store.realm.backendOf(name);
  if ((await store.proof.look(backend, { name, record }, call)) !== 'proven') return;
  const bucket = toBucket(backend, name, { record });
  const { home } = bucket;
  let cause: unknown;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    try {
      await home.store.removeContainer(home.container, call);
      return;
    } catch (error) {
      cause = error;
      if (isStoreError(error, 'containerNotFound', 'containerBusy')) return;
      if (!isStoreError(error) || !(error.kind === 'containerNotEmpty' || error.lost)) throw error;
      if (error.kind === 'containerNotEmpty' && (await removeLeftovers(bucket, call))) continue;
      if (error.kind === 'containerNotEmpty') break;
    }
  }
  if (!isStoreError(cause, 'containerNotEmpty')) {
    throw new StoreError('unavailable', { call: 'removeContainer', code: 'OutcomeUnknown', lost: true, cause });
  }
  if (!(await bringBack(deletion, { record, revision: tombstone }, call))) throw new S3Error('OperationAborted');
  throw notEmpty(name);
}

function notEmpty(name: string): S3Error {
  return new S3Error('BucketNotEmpty', { extra: { BucketName: name } });
}
