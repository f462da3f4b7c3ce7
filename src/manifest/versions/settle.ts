import type { Call } from '../../observe/call.ts';
import { type BlobProperties, type CopyRequest, at } from '../../store/blob-store.ts';
import { type StoreErrorKind, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import { newNonce } from '../records/clock.ts';
import { ringAfter } from '../heads/head-commit.ts';
import { type Head, contentHeadersOf, sameContentHeaders } from '../heads/head.ts';
import { redo } from './displace.ts';
import { Grounds, removeSealed, removeVersionBlob } from './remove-blob.ts';
import { readHead } from '../heads/object-read.ts';
import { removePieces } from '../heads/pieces.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { nativeIn } from '../records/metadata.ts';
import { type InlineHead, type MlinkHead, objectFields } from '../records/record.ts';
import { type SettleBacklog, TaskQueue, type TaskQueueOptions } from './task-queue.ts';
import { sealKnown } from './upload-claim.ts';
import { versionRef } from '../records/version-names.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { Encryption } from '../records/encryption.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** Work that may follow the answer: nobody waits for it, and a crash in the midst of it changes nothing for clients. */
export interface Settler {
  /** Moves the bytes of an mlink to its key, soon. */
  schedule(place: KeyRef): void;
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
    schedule: (place) => {
      tasks.add(`settle ${place.bucket.uid}/${place.key}`, (call) => settle(place, call));
    },
    discard: (place, token) => {
      tasks.add(`discard ${place.bucket.uid}/${token}`, async (call) => {
        await removeVersionBlob(place, token, Grounds.committed(token), call);
      });
    },
    later: (name, task) => tasks.add(name, task),
    idle: () => tasks.idle(),
    backlog: () => tasks.backlog(),
    close: () => tasks.close(),
  };
}

/** Removes, soon, the encrypted bytes of an object that a committed change has let go of for good. */
export function discardPieces(settler: Settler, place: KeyRef, { token }: Encryption): void {
  settler.later(`pieces ${place.bucket.uid}/${token}`, (call) => removePieces(place, token, call));
}

/**
 * False for an object whose bytes the service cannot bring to their key in one atomic call: its head stays an mlink.
 * Nothing is staged on a name that clients see, where it would outlive the object.
 */
export function canSettle({ home }: Bucket, size: number | undefined): boolean {
  return (size ?? 0) <= home.store.capabilities.maxCopy;
}

/** Somebody else changed the key meanwhile, or the service does not copy so much: the head stays as it is. */
const LEFT_ALONE = [
  'conditionFailed',
  'tooLarge',
  'notFound',
  'containerNotFound',
  'sourceNotFound',
  'sourceConditionFailed',
] as const satisfies readonly StoreErrorKind[];

/**
 * Copies the bytes of an mlink server-side into its key, with the head's own record and on the
 * head's revision, in one call. Whatever fails, nothing has changed for clients: same ETag, seq and mtime.
 */
export async function settle({ bucket, key }: KeyRef, call: Call): Promise<void> {
  const { store } = bucket.home;
  const head = await readHead({ bucket, key }, call);
  if (head?.record?.kind !== 'mlink' || !canSettle(bucket, head.record.size)) return;
  const { record } = head;
  const token = record.version;
  const blob = versionRef({ bucket, key }, token);
  try {
    const [source] = await Promise.all([store.head(blob, call), redo({ bucket, key }, head, call)]);
    await sealKnown({ bucket, key, token }, source.metadata, call);
    const metadata = await blobMetadata(
      bucket.home,
      { ...inlined(record), ...ringAfter(head) },
      nativeIn(head.properties.metadata),
      call,
    );
    const { revision } = source;
    const request = { source: { ...blob, revision }, metadata, ...landing(head, record, source) };
    await store.copy(head.ref, request, call);
    if (await removeSealed({ bucket, key }, { token, metadata: source.metadata, revision }, call)) return;
  } catch (error) {
    if (isStoreError(error, ...LEFT_ALONE)) return;
    throw error;
  }
  await removeVersionBlob({ bucket, key }, token, Grounds.committed(token), call);
}

/** Onto which state of the head the bytes of an mlink go, and as what: its own MD5, unless its parts made the ETag. */
function landing(
  { properties }: Head,
  { etag }: MlinkHead,
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

function inlined(record: MlinkHead): InlineHead {
  const { floor } = record;
  return {
    ...objectFields(record),
    ...(floor !== undefined && { floor }),
    kind: 'inline',
    nonce: newNonce(),
    dels: [record.version],
  };
}
