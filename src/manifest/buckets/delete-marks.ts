import type { Revision } from '../../store/blob-store.ts';
import { keepNewest } from '../../observe/bounded-map.ts';

/**
 * After so long a process that keeps meeting the same mark takes its DeleteBucket for dead, and the mark away.
 * Milliseconds.
 */
const OLD_MS = 60_000;
/**
 * Marks of older releases say when they were made, and their DeleteBucket does not look whether they are still there.
 * Milliseconds.
 */
const OLDER_RELEASE_MS = 15 * 60_000;
const MAX_MARKS = 1000;

/**
 * Delete marks that this process has met. A bucket whose DeleteBucket died must not stay closed for ever; no more hangs
 * on these times, for a DeleteBucket whose mark is gone removes nothing. They are this process's own: no clock of
 * another can make them long or short.
 */
interface MarksSeen {
  /** @param now monotonic milliseconds */
  isOld(bucket: string, mark: Revision, now: number): boolean;
}

export function createMarksSeen(): MarksSeen {
  const seen = new Map<string, { readonly mark: Revision; readonly since: number }>();
  return {
    isOld(bucket, mark, now) {
      const known = seen.get(bucket);
      if (known?.mark === mark) return now - known.since >= OLD_MS;
      keepNewest(seen, bucket, { mark, since: now }, MAX_MARKS);
      return false;
    },
  };
}

/** Whether a mark of an older release is one that nobody works under any more. Milliseconds since the epoch. */
export function isOver(since: number, now: number): boolean {
  return now - since >= OLDER_RELEASE_MS;
}
