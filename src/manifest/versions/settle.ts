import type { Call } from '../../observe/call.ts';
import { at } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import { newNonce } from '../records/clock.ts';
import { ringAfter } from '../heads/head-commit.ts';
import { contentHeadersOf, sameContentHeaders } from '../heads/head.ts';
import { redo } from './displace.ts';
import { Grounds, removeSealed, removeVersionBlob } from './remove-blob.ts';
import { readHead } from '../heads/object-read.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { nativeIn } from '../records/metadata.ts';
import { type InlineHead, type MlinkHead, objectFields } from '../records/record.ts';
import { sealKnown } from './upload-claim.ts';
import { versionRef } from '../records/version-names.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** Work that may follow the answer: nobody waits for it, and a crash in the midst of it changes nothing for clients. */
export interface Settler {
  /** Moves the bytes of an mlink to its key, soon. */
  schedule(bucket: Bucket, key: string): void;
  /**
   * Removes a version's own blob that a committed change of the key let go of, or that the caller made and no head
   * write that may have happened names; with the parts staged for it.
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

/** How the work behind answers stands. */
export interface SettleBacklog {
  readonly queued: number;
  readonly running: number;
  /** Since the start: what found no room in the queue, and what failed. Both is left to the sweeper. */
  readonly dropped: number;
  readonly failed: number;
}

interface SettlerOptions {
  /** Tasks at the same time. */
  readonly concurrency: number;
  /** Tasks waiting; more are dropped, which is harmless: readers follow the mlink, the sweeper settles it. */
  readonly maxQueue: number;
  readonly newCall: (name: string) => Call;
  /** Told of every task that failed for another reason than "somebody else changed the key". */
  readonly onError: (error: unknown, task: string, call: Call) => void;
}

export function createSettler(options: SettlerOptions): Settler {
  const queue = new Map<string, (call: Call) => Promise<void>>();
  const running = new Map<string, Promise<void>>();
  let closed = false;
  let dropped = 0;
  let failed = 0;

  const pump = (): void => {
    while (!closed && running.size < options.concurrency) {
      const next = firstIdle(queue, running);
      if (next === undefined) return;
      const [name, task] = next;
      queue.delete(name);
      const call = options.newCall(name);
      const run = task(call)
        .catch((error: unknown) => {
          failed += 1;
          options.onError(error, name, call);
        })
        .finally(() => {
          running.delete(name);
          pump();
        });
      running.set(name, run);
    }
  };
  const add = (name: string, task: (call: Call) => Promise<void>): void => {
    // What waits already keeps its turn, and takes no more room.
    if (closed || (queue.size >= options.maxQueue && !queue.has(name))) {
      dropped += 1;
      return;
    }
    queue.set(name, task);
    pump();
  };
  const drain = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running.values());
  };

  return {
    schedule: (bucket, key) => {
      add(`settle ${bucket.uid}/${key}`, (call) => settle(bucket, key, call));
    },
    discard: (place, token) => {
      add(`discard ${place.bucket.uid}/${token}`, async (call) => {
        await removeVersionBlob(place, token, Grounds.committed(token), call);
      });
    },
    later: add,
    idle: drain,
    backlog: () => ({ queued: queue.size, running: running.size, dropped, failed }),
    close: async () => {
      closed = true;
      await drain();
    },
  };
}

/** The first that waits and whose name does not run. Of those passed over there are at most as many as run. */
function firstIdle<T>(
  queue: ReadonlyMap<string, T>,
  running: ReadonlyMap<string, unknown>,
): readonly [string, T] | undefined {
  for (const entry of queue) if (!running.has(entry[0])) return entry;
  return undefined;
}

/**
 * False for an object whose bytes the service cannot bring to their key in one atomic call: its head stays an mlink.
 * Nothing is staged on a name that clients see, where it would outlive the object.
 */
export function canSettle({ home }: Bucket, size: number | undefined): boolean {
  return (size ?? 0) <= home.store.capabilities.maxCopy;
}

/**
 * Copies the bytes of an mlink server-side into its key, with the head's own record and on the
 * head's revision, in one call. Whatever fails, nothing has changed for clients: same ETag, seq and mtime.
 */
export async function settle(bucket: Bucket, key: string, call: Call): Promise<void> {
  const { store } = bucket.home;
  const head = await readHead(bucket, key, call);
  if (head?.record?.kind !== 'mlink' || !canSettle(bucket, head.record.size)) return;
  const { record } = head;
  const token = record.version;
  const blob = versionRef(bucket, key, token);
  try {
    const [{ size, md5, revision, ...source }] = await Promise.all([
      store.head(blob, call),
      redo({ bucket, key }, head, call),
    ]);
    await sealKnown({ bucket, key, token }, source.metadata, call);
    const metadata = await blobMetadata(
      bucket.home,
      { ...inlined(record), ...ringAfter(head) },
      nativeIn(head.properties.metadata),
      call,
    );
    const headers = contentHeadersOf(head.properties);
    const wanted = record.etag.includes('-') ? md5 : record.etag;
    const sameHeaders = wanted === md5 && sameContentHeaders(headers, source);
    const condition = at(head.properties.revision);
    const request = {
      source: { ...blob, revision },
      size,
      headers,
      metadata,
      condition,
      sameHeaders,
      ...(wanted !== undefined && { md5: wanted }),
    };
    await store.copy(head.ref, request, call);
    if (await removeSealed({ bucket, key }, { token, metadata: source.metadata, revision }, call)) return;
  } catch (error) {
    if (
      isStoreError(
        error,
        'conditionFailed',
        'tooLarge',
        'notFound',
        'containerNotFound',
        'sourceNotFound',
        'sourceConditionFailed',
      )
    ) {
      return;
    }
    throw error;
  }
  await removeVersionBlob({ bucket, key }, token, Grounds.committed(token), call);
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
