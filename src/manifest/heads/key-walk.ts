import type { Call } from '../../observe/call.ts';
import type { BlobEntry, ListEntry } from '../../store/blob-store.ts';
import { nameComparator } from '../../store/name-order.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { codecOf, headPlace } from '../records/names.ts';
import { RecordFormatError } from '../records/record.ts';
import { type Head, isWholeObject, parseHead, residentBytes } from './head.ts';

/** Heads that are read one by one, within `WINDOW_MS`, before a listing is tried. */
const WORTH_A_LISTING = 8;
const WINDOW_MS = 5000;
/** The same at most, when listings before were of little use. */
const MOST_PATIENCE = 1024;
/** Heads that a listing asks for: the first, and those that follow one that was of use. */
const FIRST_PAGE = 250;
const PAGE = 1000;
/** About what the heads of one walk may take, bytes. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * One client's way through the keys of a bucket, which it removes, or copies from, one after the other. It notices the
 * walk, lists the heads of the keys that come next, and hands each of them out once.
 */
export class KeyWalk {
  readonly #now: () => number;
  /** By key: those that a listing has shown, and that no request has asked for yet. */
  #heads = new Map<string, Head>();
  /** How many they were; undefined: nothing was listed yet. */
  #shown: number | undefined;
  /** The last name of that listing that was looked at. */
  #end: string | undefined;
  /** When they were seen. Milliseconds since the epoch. */
  #seen = 0;
  /** Heads that were read one by one since `#since`, and the key of the last one. */
  #misses = 0;
  #missed: string | undefined;
  #since: number;
  /** So many, and a listing is made. */
  #patience = WORTH_A_LISTING;
  #isListing = false;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** @param maxAge milliseconds since it was listed */
  take(key: string, maxAge: number): Head | undefined {
    const head = this.#heads.get(key);
    if (head === undefined || Math.abs(this.#now() - this.#seen) > maxAge) return undefined;
    // A second removal of the key would meet another head, or none.
    this.#heads.delete(key);
    return head;
  }

  /** Counts a key that is read one by one. @returns whether the keys that follow are worth a listing (`list`) */
  miss({ bucket, key }: KeyRef): boolean {
    const now = this.#now();
    if (Math.abs(now - this.#since) > WINDOW_MS) {
      this.#since = now;
      this.#misses = 0;
    }
    // Repeated requests for the same key, such as the parts of a copy, are no walk through the keys.
    if (this.#missed !== key) this.#misses += 1;
    this.#missed = key;
    if (this.#isListing) return false;
    const { region, name } = codecOf(bucket.home.store).encode(key);
    if (region !== 'plain') return false;
    const isNext = this.#wasUsed && this.#end !== undefined && isBehind(bucket, name, this.#end);
    if (!isNext && this.#misses < this.#patience) return false;
    this.#misses = 0;
    return true;
  }

  /** Lists the heads from this key on. A failure is not reported here: the next read of a head will meet it. */
  async list(place: KeyRef, call: Call): Promise<void> {
    const { home } = place.bucket;
    const isFollowing = this.#wasUsed;
    const isFirst = this.#shown === undefined;
    this.#patience = isFollowing || isFirst ? WORTH_A_LISTING : Math.min(2 * this.#patience, MOST_PATIENCE);
    const limit = Math.min(isFollowing ? PAGE : FIRST_PAGE, home.store.capabilities.maxListPage);
    const startAt = headPlace(place).ref.name;
    const seen = this.#now();
    this.#isListing = true;
    try {
      const { entries } = await home.store.list(home.container, { startAt, limit }, call);
      this.#keep(place.bucket, entries);
      this.#heads.delete(place.key);
      this.#shown = this.#heads.size;
      this.#seen = seen;
    } catch (error) {
      if (!isStoreError(error)) throw error;
    } finally {
      this.#isListing = false;
    }
  }

  /** Half of what the listing showed was asked for. */
  get #wasUsed(): boolean {
    const shown = this.#shown ?? 0;
    return shown > 0 && 2 * this.#heads.size <= shown;
  }

  /** Those of a listing, as far as there is room. */
  #keep(bucket: Bucket, entries: readonly ListEntry[]): void {
    this.#heads = new Map();
    let bytes = 0;
    for (const entry of entries) {
      const head = entry.kind === 'blob' ? plainHead(bucket, entry) : undefined;
      if (head !== undefined) bytes += residentBytes(entry.name, head);
      if (bytes > MOST_BYTES) return;
      this.#end = entry.name;
      if (head !== undefined) this.#heads.set(entry.name, head); // a plain name is the key itself
    }
  }
}

function isBehind({ home }: Bucket, name: string, end: string): boolean {
  return nameComparator(home.store.capabilities.nameOrder)(name, end) > 0;
}

/** The head under its key, if it is the whole object and nothing lies elsewhere. */
function plainHead({ home }: Bucket, entry: BlobEntry): Head | undefined {
  const { name } = entry;
  if (!codecOf(home.store).isPlainKey(name)) return undefined;
  try {
    const head = parseHead({ container: home.container, name }, entry);
    return isWholeObject(head.record) ? head : undefined;
  } catch (error) {
    if (error instanceof RecordFormatError) return undefined;
    throw error;
  }
}
