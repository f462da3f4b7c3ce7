import type { Call } from '../../observe/call.ts';
import { type BlobProperties, type CopyRequest, type RemoveItem, at } from '../../store/blob-store.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { type StoreErrorKind, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import { newNonce } from '../records/clock.ts';
import { ringAfter } from '../heads/head-commit.ts';
import { type Head, contentHeadersOf, sameContentHeaders } from '../heads/head.ts';
import { redo } from './displace.ts';
import { RemovalReason, removeSealed, removeVersionBlob } from './remove-blob.ts';
import { readHead } from '../heads/object-read.ts';
import { removePieces } from '../heads/pieces.ts';
import { blobMetadata, overflowOf } from '../heads/overflow.ts';
import { nativeIn } from '../records/metadata.ts';
import { type InlineHead, type AssembledHead, namedVersion, objectFields } from '../records/record.ts';
import { type SettleBacklog, TaskQueue, type TaskQueueOptions } from './task-queue.ts';
import { sealKnown } from './upload-claim.ts';
import { versionRef } from '../records/version-names.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { FieldsOf } from '../records/record-fields.ts';
import type { KeyRef } from '../records/key-ref.ts';

/**
 * Work that may follow the answer. No client waits for it, and a crash in the midst of it changes nothing for clients.
 */
export interface Settler {
  /** Moves the bytes of an assembled head to its key, soon. @param fresh spares the look at both */
  schedule(place: KeyRef, fresh?: FreshAssembled): void;
  /**
   * Removes a version's own blob together with the parts that were staged for it. The caller vouches for one of two
   * things: a committed change of the key no longer names the blob; or the caller made the blob itself, and no head
   * write that may have happened names it.
   */
  discard(place: KeyRef, token: VersionToken): void;
  /** Any other tidying up; of tasks with one name only the last waits, and one runs at a time. */
  later(name: string, task: (call: Call) => Promise<void>): void;
  /** Resolves when nothing is queued or running (tests, benches). */
  idle(): Promise<void>;
  backlog(): SettleBacklog;
  /** Takes no more work, waits for what runs; what is still queued is left to the sweeper. */
  close(): Promise<void>;
}

export function createSettler(options: TaskQueueOptions): Settler {
  const tasks = new TaskQueue(options);
  return {
    schedule: (place, fresh) => {
      tasks.add(`settle ${place.bucket.uid}/${place.key}${passengersOf(fresh)}`, (call) =>
        settleKnown(place, fresh, call),
      );
    },
    discard: (place, token) => {
      tasks.add(`discard ${place.bucket.uid}/${token}`, async (call) => {
        await removeVersionBlob(place, token, RemovalReason.committed(token), call);
      });
    },
    later: (name, task) => tasks.add(name, task),
    idle: () => tasks.idle(),
    backlog: () => tasks.backlog(),
    close: () => tasks.close(),
  };
}

/** Removes, soon, the pieces of an object that a committed change has let go of for good, and their restored copies. */
export function discardPieces(
  settler: Settler,
  place: KeyRef,
  { encryption, restore }: Pick<FieldsOf<'shown'>, 'encryption' | 'restore'>,
): void {
  for (const token of [encryption?.token, restore?.token]) {
    if (token === undefined) continue;
    settler.later(`pieces ${place.bucket.uid}/${token}`, (call) => removePieces(place, token, call));
  }
}

/**
 * False for an object whose bytes the service cannot bring to their key in one atomic call: its head stays an assembled
 * head. Nothing is staged on a name that clients see, where it would outlive the object.
 */
export function canSettle({ home }: Bucket, size: number | undefined): boolean {
  return (size ?? 0) <= home.store.capabilities.maxCopy;
}

/** Another request changed the key meanwhile, or the service does not copy so much: the head stays as it is. */
const LEFT_ALONE = [
  'conditionFailed',
  'tooLarge',
  'notFound',
  'containerNotFound',
  'sourceNotFound',
  'sourceConditionFailed',
] as const satisfies readonly StoreErrorKind[];

/** An assembled and its blob, as the one who has just written both knows them. */
export interface FreshAssembled {
  readonly head: Head;
  /** It says how its upload ended, and that is written down elsewhere by now. */
  readonly source: BlobProperties;
  /**
   * Blobs of the system container that are to go whatever becomes of the object, and under whose names nothing is ever
   * written again: with the blob, in one call, once its bytes are copied.
   */
  readonly along?: readonly RemoveItem[];
}

/** What distinguishes a task that takes something along: another one for its key must not take its place. */
function passengersOf(fresh: FreshAssembled | undefined): string {
  return fresh?.along === undefined || fresh.along.length === 0 ? '' : ` of ${namedVersion(fresh.head.record) ?? ''}`;
}

async function settleKnown(place: KeyRef, fresh: FreshAssembled | undefined, call: Call): Promise<void> {
  const { along = [] } = fresh ?? {};
  let moved: MovedBlob | undefined;
  try {
    moved = fresh && (await copyFresh(place, fresh, call));
    if (moved === undefined) await settle(place, call);
  } catch (error) {
    await removeForGood(place.bucket.home, along, call);
    throw error;
  }
  if (moved === undefined) await removeForGood(place.bucket.home, along, call);
  else await removeMoved(place, moved, along, call);
}

/**
 * Copies the bytes as `settle` does, without a look: if either blob is not as it was written, the copy fails on its
 * revision.
 * @returns undefined when nothing was done
 */
async function copyFresh(place: KeyRef, { head, source }: FreshAssembled, call: Call): Promise<MovedBlob | undefined> {
  const { record } = head;
  if (record?.kind !== 'assembled' || !canSettle(place.bucket, record.size)) return undefined;
  // What has spilled would have to be read, and what the log names be removed first.
  const { adds = [], dels = [] } = record;
  if (overflowOf(record) !== undefined || adds.length + dels.length > 0) return undefined;
  try {
    return await copyToKey(place, { head, record, source }, call);
  } catch (error) {
    if (isStoreError(error, ...LEFT_ALONE)) return undefined;
    throw error;
  }
}

/**
 * Copies the bytes of an assembled head server-side into its key, with the head's own record and on the
 * head's revision, in one call. Whatever fails, nothing has changed for clients: same ETag, seq and mtime.
 */
export async function settle({ bucket, key }: KeyRef, call: Call): Promise<void> {
  const { store } = bucket.home;
  const head = await readHead({ bucket, key }, call);
  if (head?.record?.kind !== 'assembled' || !canSettle(bucket, head.record.size)) return;
  const { record } = head;
  const token = record.version;
  const blob = versionRef({ bucket, key }, token);
  try {
    const [source] = await Promise.all([store.head(blob, call), redo({ bucket, key }, head, call)]);
    await sealKnown({ bucket, key, token }, source.metadata, call);
    await removeMoved({ bucket, key }, await copyToKey({ bucket, key }, { head, record, source }, call), [], call);
  } catch (error) {
    if (isStoreError(error, ...LEFT_ALONE)) return;
    throw error;
  }
}

interface Move {
  readonly head: Head;
  readonly record: AssembledHead;
  /** The blob that has the bytes; how its upload ended is written down. */
  readonly source: BlobProperties;
}

/** The blob whose bytes lie at their key now. */
interface MovedBlob {
  readonly token: VersionToken;
  readonly source: BlobProperties;
}

async function copyToKey({ bucket, key }: KeyRef, { head, record, source }: Move, call: Call): Promise<MovedBlob> {
  const token = record.version;
  const { revision } = source;
  const { floor } = record;
  // The log does not name the blob that goes: it has the null version's record, so that nothing but a head that names
  // it makes it a version again, and the writer of the next head need not look whether it has gone.
  const inlined: InlineHead = {
    ...objectFields(record),
    ...(floor !== undefined && { floor }),
    kind: 'inline',
    nonce: newNonce(),
    ...ringAfter(head),
  };
  const metadata = await blobMetadata(bucket.home, inlined, nativeIn(head.properties.metadata), call);
  const blob = versionRef({ bucket, key }, token);
  const request = { source: { ...blob, revision }, metadata, ...landing(head, record, source) };
  await bucket.home.store.copy(head.ref, request, call);
  return { token, source };
}

/** @param along other blobs of the system container, which go in any case. What fails is left to the sweeper */
async function removeMoved(
  place: KeyRef,
  { token, source: { metadata, revision } }: MovedBlob,
  along: readonly RemoveItem[],
  call: Call,
): Promise<void> {
  if (await removeSealed(place, { token, metadata, revision, along }, call)) return;
  await removeVersionBlob(place, token, RemovalReason.committed(token), call);
}

/**
 * Onto which state of the head the bytes of an assembled head go, and as what: its own MD5, unless its parts made the
 * ETag.
 */
function landing(
  { properties }: Head,
  { etag }: AssembledHead,
  source: BlobProperties,
): Omit<CopyRequest, 'source' | 'metadata'> {
  const headers = contentHeadersOf(properties);
  const { size, md5 } = source;
  const wanted = etag.includes('-') ? md5 : etag;
  return {
    size,
    headers,
    condition: at(properties.revision),
    sameHeaders: wanted === md5 && sameContentHeaders(headers, source),
    ...(wanted !== undefined && { md5: wanted }),
  };
}
