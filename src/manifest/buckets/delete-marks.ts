import type { Revision } from '../../store/blob-store.ts';
import { keepNewest } from '../../observe/bounded-map.ts';

/**
 * When a process has met the same mark for so long, it takes the DeleteBucket for dead and removes the mark.
 * Milliseconds.
 */
const OLD_MS = 60_000;
const MAX_MARKS = 1000;

/**
 * The delete marks that this process has met, and since when. They keep a bucket whose DeleteBucket died from staying
 * closed for ever. Nothing else depends on these times, because a DeleteBucket whose mark is gone removes nothing. They
 * are measured by this process alone, so no other machine's clock changes them.
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
