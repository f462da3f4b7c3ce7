import { type WriteConditions, hasWriteConditions, isCreateOnly } from '../../protocol/conditions.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { Head, SeenHead } from './head.ts';

/** Buckets that are remembered at a time. */
const MOST_BUCKETS = 10_000;

/**
 * A guess whether a PUT makes a new key: it does if the last one of its bucket did. A right guess spares the look at
 * the head, as the write is on condition that there is none; a wrong one costs that write.
 */
export class NewKeys {
  /** Uids of the buckets whose last PUT met an object. */
  readonly #overwritten = new Set<string>();

  /** A head to begin with, or undefined: it is to be read. A condition that asks for an object is not guessed at. */
  guess({ bucket }: KeyRef, conditions: WriteConditions): SeenHead | undefined {
    if (hasWriteConditions(conditions) && !isCreateOnly(conditions)) return undefined;
    return this.#overwritten.has(bucket.uid) ? undefined : { head: undefined, trust: 'listed' };
  }

  /** @param head the one that a PUT met */
  learn({ uid }: Bucket, head: Head | undefined): void {
    if (head === undefined) {
      this.#overwritten.delete(uid);
      return;
    }
    if (this.#overwritten.size >= MOST_BUCKETS) this.#overwritten.clear();
    this.#overwritten.add(uid);
  }
}
