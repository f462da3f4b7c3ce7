import type { Call } from '../../observe/call.ts';
import { nameComparator } from '../../store/name-order.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { BlobEntry, ListEntry } from '../../store/blob-store.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { codecOf, headPlace } from '../records/names.ts';
import { RecordFormatError } from '../records/record.ts';
import { type Head, isWholeObject, parseHead, residentBytes } from './head.ts';
import { readHead } from './object-read.ts';

/** Heads of one bucket that are read one by one, within `WINDOW_MS`, before a listing is tried. */
const WORTH_A_LISTING = 8;
const WINDOW_MS = 5000;
/** The same at most, when listings before were of little use. */
const MOST_PATIENCE = 1024;
/** Heads that a listing asks for: the first, and those that follow one that was of use. */
const FIRST_PAGE = 250;
const PAGE = 1000;
/** A head is not taken for true that was seen longer ago. Milliseconds. */
const YOUNG_MS = 30_000;
/** Buckets with heads that are remembered, and about what those of one may take, bytes. */
const MOST_RUNS = 4;
const MOST_BYTES = 2 * 1024 * 1024;

/** Does work behind the answer, under a call of its own; of tasks with one name one runs, and the last waits. */
type Later = (name: string, task: (call: Call) => Promise<void>) => void;

/** Keys of one bucket that are removed, or copied from, one after the other. */
interface Run {
  /** By key: those that a listing has shown, and that nobody has asked for yet. */
  heads: Map<string, Head>;
  /** How many they were; undefined: nothing was listed yet. */
  shown: number | undefined;
  /** The last name of that listing that was looked at. */
  end: string | undefined;
  /** When they were seen. Milliseconds since the epoch. */
  seen: number;
  /** Heads that were read one by one since `since`, and the key of the last one. */
  misses: number;
  missed: string | undefined;
  since: number;
  /** So many, and a listing is made. */
  patience: number;
  isListing: boolean;
}

/**
 * Heads for clients that remove or copy one key after the other, as tools do with everything under a prefix. The heads
 * of the next keys are listed before they are asked for, so that a removal or a copy is one call instead of two. No
 * request waits for such a listing: until it has arrived, heads are read. A head from here is a hint. It may have been
 * replaced before the request began; the removal, or the copy, is on condition of its revision, and what it says
 * depends on the revision alone.
 *
 * docs/decisions/0036-removals-in-a-row.md, docs/decisions/0038-copies-in-one-call.md
 */
export class HeadsAhead {
  readonly #runs = new Map<string, Run>();
  readonly #now: () => number;
  readonly #later: Later;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number, later: Later) {
    this.#now = now;
    this.#later = later;
  }

  /**
   * The head of a key whose turn it is, as it is or as it was a moment ago. For buckets that never had versions.
   * @throws as `readHead`
   */
  async headOf(place: KeyRef, call: Call): Promise<Head | undefined> {
    return this.next(place) ?? readHead(place, call);
  }

  /** The same, as far as it is known. Undefined: the caller reads it. */
  next(place: KeyRef): Head | undefined {
    const run = this.#runOf(place.bucket);
    const known = this.#take(run, place.key);
    if (known !== undefined) return known;
    if (this.#isWorthAListing(run, place)) {
      run.misses = 0;
      this.#later(`heads ahead ${place.bucket.uid}`, (own) => this.#list(run, place, own));
    }
    return undefined;
  }

  #take(run: Run, key: string): Head | undefined {
    const head = run.heads.get(key);
    if (head === undefined || Math.abs(this.#now() - run.seen) > YOUNG_MS) return undefined;
    // A second removal of the key would meet another head, or none. A second copy is served by `SeenObjects`.
    run.heads.delete(key);
    return head;
  }

  #isWorthAListing(run: Run, { bucket, key }: KeyRef): boolean {
    const now = this.#now();
    if (Math.abs(now - run.since) > WINDOW_MS) {
      run.since = now;
      run.misses = 0;
    }
    // Repeated requests for the same key, such as the parts of a copy, are no walk through the keys.
    if (run.missed !== key) run.misses += 1;
    run.missed = key;
    if (run.isListing) return false;
    const { region, name } = codecOf(bucket.home.store).encode(key);
    if (region !== 'plain') return false;
    const isNext = wasUsed(run) && run.end !== undefined && isBehind(bucket, name, run.end);
    return isNext || run.misses >= run.patience;
  }

  /** Lists the heads from this key on. A failure is not reported here: the next read of a head will meet it. */
  async #list(run: Run, place: KeyRef, call: Call): Promise<void> {
    const { home } = place.bucket;
    const isFollowing = wasUsed(run);
    const isFirst = run.shown === undefined;
    run.patience = isFollowing || isFirst ? WORTH_A_LISTING : Math.min(2 * run.patience, MOST_PATIENCE);
    const limit = Math.min(isFollowing ? PAGE : FIRST_PAGE, home.store.capabilities.maxListPage);
    const startAt = headPlace(place).ref.name;
    const seen = this.#now();
    run.isListing = true;
    try {
      const { entries } = await home.store.list(home.container, { startAt, limit }, call);
      keepHeads(run, place.bucket, entries);
      run.heads.delete(place.key);
      run.shown = run.heads.size;
      run.seen = seen;
    } catch (error) {
      if (!isStoreError(error)) throw error;
    } finally {
      run.isListing = false;
    }
  }

  #runOf({ uid }: Bucket): Run {
    const now = this.#now();
    const run = this.#runs.get(uid) ?? newRun(now);
    // Those used last stand last.
    this.#runs.delete(uid);
    this.#runs.set(uid, run);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    return run;
  }
}

function newRun(since: number): Run {
  return {
    heads: new Map(),
    shown: undefined,
    end: undefined,
    seen: since,
    misses: 0,
    missed: undefined,
    since,
    patience: WORTH_A_LISTING,
    isListing: false,
  };
}

/** Half of what the listing showed was asked for. */
function wasUsed({ shown = 0, heads }: Run): boolean {
  return shown > 0 && 2 * heads.size <= shown;
}

function isBehind({ home }: Bucket, name: string, end: string): boolean {
  return nameComparator(home.store.capabilities.nameOrder)(name, end) > 0;
}

/** Those of a listing, as far as there is room. */
function keepHeads(run: Run, bucket: Bucket, entries: readonly ListEntry[]): void {
  run.heads = new Map();
  let bytes = 0;
  for (const entry of entries) {
    const head = entry.kind === 'blob' ? plainHead(bucket, entry) : undefined;
    if (head !== undefined) bytes += residentBytes(entry.name, head);
    if (bytes > MOST_BYTES) return;
    run.end = entry.name;
    if (head !== undefined) run.heads.set(entry.name, head); // a plain name is the key itself
  }
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
