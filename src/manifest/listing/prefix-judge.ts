import type { Call } from '../../observe/call.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { Bucket } from '../records/bucket.ts';
import { type Head, isLive, parseListedHead } from '../heads/head.ts';
import { DeletionIndex } from './deletion-index.ts';
import type { ListingRequest } from './listing-entry.ts';
import type { DecodedEntry, Region } from './listing-region.ts';
import { RegionReader } from './region-reader.ts';

/** Prefixes that are looked into at the same time. */
const CONCURRENCY = 16;
/** When so many calls were made for a page, no further prefix is looked into: the page ends before it. */
const MAX_SPENT = 128;
/**
 * Calls for one prefix, each for more than the one before. When all they met is gone, what they did not reach is taken
 * for alive.
 */
const MAX_CALLS = 12;
const FIRST_LOOK = 10;

/**
 * Says which prefixes that the backend rolled up have something alive beneath them. Only those that the index of
 * deletions knows are looked into, and the first live head decides.
 */
export class PrefixJudge {
  readonly #bucket: Bucket;
  readonly #index: DeletionIndex;
  #spent = 0;

  constructor(bucket: Bucket, request: ListingRequest) {
    this.#bucket = bucket;
    this.#index = new DeletionIndex(bucket, request);
  }

  /** Lets the index be read while the page is. */
  prepare(from: string, call: Call): Promise<void> {
    return this.#index.prepare(from, call);
  }

  /** Never false when a key beneath the prefix has a head that says that nothing is there. */
  mayHideIn(prefix: string, call: Call): Promise<boolean> {
    return this.#index.mayHideIn(prefix, call);
  }

  /** The entries with their empty prefixes marked. `isCut`: up to the first prefix that could not be decided. */
  async sift(
    region: Region,
    entries: readonly DecodedEntry[],
    call: Call,
  ): Promise<{ entries: readonly DecodedEntry[]; isCut: boolean }> {
    const suspects: string[] = [];
    for (const { key, blob } of entries) {
      if (blob === undefined && (await this.#index.mayHideIn(key, call))) suspects.push(key);
    }
    const empty = new Set<string>();
    for (let done = 0; done < suspects.length; done += CONCURRENCY) {
      if (this.#spent >= MAX_SPENT) {
        const end = entries.findIndex(({ key, blob }) => blob === undefined && key === suspects[done]);
        return { entries: marked(entries.slice(0, end), empty), isCut: true };
      }
      const batch = suspects.slice(done, done + CONCURRENCY);
      const verdicts = await mapConcurrent(batch, CONCURRENCY, (prefix) =>
        this.holds(region, { prefix, counts: isLive }, call),
      );
      batch.forEach((prefix, i) => verdicts[i] === false && empty.add(prefix));
    }
    return { entries: marked(entries, empty), isCut: false };
  }

  /** Whether a head that counts lies beneath a prefix. */
  async holds(
    region: Region,
    { prefix, counts }: { readonly prefix: string; readonly counts: (head: Head) => boolean },
    call: Call,
  ): Promise<boolean> {
    const beneath = region.beneath(prefix);
    if (beneath === undefined) return false;
    const reader = new RegionReader(this.#bucket, beneath, beneath.prefix);
    let ask = FIRST_LOOK;
    for (let calls = 1; !reader.isDone; calls++) {
      this.#spent += 1;
      const { entries } = await reader.read(ask, call);
      for (const { key, blob } of entries) {
        if (
          blob !== undefined &&
          key.startsWith(prefix) &&
          counts(parseListedHead({ container: region.container, name: blob.name }, blob))
        ) {
          return true;
        }
      }
      if (calls >= MAX_CALLS) return true;
      ask = Math.min(ask * 8, this.#bucket.home.store.capabilities.maxListPage);
    }
    return false;
  }
}

function marked(entries: readonly DecodedEntry[], empty: ReadonlySet<string>): readonly DecodedEntry[] {
  if (empty.size === 0) return entries;
  return entries.map((entry) =>
    entry.blob === undefined && empty.has(entry.key) ? { ...entry, isEmpty: true } : entry,
  );
}
