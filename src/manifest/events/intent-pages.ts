import type { Call } from '../../observe/call.ts';
import type { BlobEntry, RemoveItem } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { NOTHING } from '../heads/head-commit.ts';
import { noncesOf, noncesOfOwn } from '../heads/announce.ts';
import { readHead } from '../heads/object-read.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import {
  type ChangeIntent,
  type ObjectEvent,
  decodeIntent,
  eventsOf,
  intentsOfKey,
  intentsPrefix,
  stemOfIntent,
} from '../records/change-intent.ts';
import type { VersionToken } from '../records/version-token.ts';
import { amendmentsOf, readVersion } from '../versions/version-blob.ts';
import { type ListedIntent, committedOf, undoneOf } from './resolve.ts';

const PAGE = 1000;
/** Keys that are looked at at a time, and blobs of one key. */
const CONCURRENCY = 16;
const BLOBS_OF_KEY = 4;
/**
 * A listing shows no one moment: of a key that changes while it is listed, an older intent may be missing beside a
 * newer one. The rings of head and intents make up for so many; of more the key's own intents are listed once more.
 */
const MOST_OF_ONE_LISTING = 3;
/** Looks at the blobs of a key that changes meanwhile. */
const MOST_LOOKS = 6;
/** A request is over by then: what is not committed will not be. */
const UNRESOLVED_AFTER_MS = 24 * 60 * 60_000;

/** An intent of a later release, or a damaged one: what its key's other intents come to cannot be told without it. */
class UnreadableIntent extends Error {}

interface FoundIntent extends ListedIntent {
  readonly entry: BlobEntry;
}

/** What a page of intents came to. */
export interface IntentPage {
  /** Of committed changes, those of each key in the order of its history. */
  readonly events: readonly ObjectEvent[];
  /** Intents of committed changes, also those without an event. */
  readonly settled: readonly BlobEntry[];
  /** Intents of removals that others were faster than. */
  readonly undone: readonly BlobEntry[];
  /** Intents of changes that will not be committed any more, or of which that cannot be told. */
  readonly unresolved: readonly BlobEntry[];
  /** The others: of changes that may be under way, and of keys with an intent that cannot be read. */
  readonly open: readonly BlobEntry[];
  /** Why keys were left for the next time. */
  readonly problems: readonly unknown[];
  /** Name of the first intent of the next page; undefined: it was the last one. */
  readonly next: string | undefined;
}

/** What is gone through. */
interface PagesRange {
  /** By the service's clock, milliseconds. */
  readonly now: number;
  /** Name of the first intent that counts. */
  readonly startAt?: string | undefined;
}

/**
 * Goes through the intents of a bucket, all those of a key in one page.
 */
export async function* intentPages(
  bucket: Bucket,
  { now, startAt }: PagesRange,
  call: Call,
): AsyncGenerator<IntentPage, void> {
  const { store, system } = bucket.home;
  const range = { prefix: intentsPrefix(bucket), pageSize: PAGE, ...(startAt !== undefined && { startAt }) };
  let before: readonly BlobEntry[] = [];
  let page: readonly BlobEntry[] = [];
  for await (const entries of pagesOf(store, system, range, call)) {
    const next = blobsOf(entries);
    if (page.length > 0) {
      yield await resolvePage(bucket, { before, page, next, now }, call);
      before = page;
    } else if (startAt !== undefined) {
      // Its first key may have intents in front of where the range starts.
      before = next.slice(0, 1);
    }
    page = next;
  }
  if (page.length > 0) yield await resolvePage(bucket, { before, page, next: [], now }, call);
}

interface ListedPage {
  readonly before: readonly BlobEntry[];
  readonly page: readonly BlobEntry[];
  readonly next: readonly BlobEntry[];
  readonly now: number;
}

async function resolvePage(bucket: Bucket, { before, page, next, now }: ListedPage, call: Call): Promise<IntentPage> {
  const beside = new Set([before.at(-1), next[0]].flatMap((entry) => (entry ? stemOfIntent(entry.name) : [])));
  const stems = [...Map.groupBy(page, ({ name }) => stemOfIntent(name))];
  const problems: unknown[] = [];
  const resolved = await mapConcurrent(stems, CONCURRENCY, async ([stem, entries]) => {
    try {
      const keys = [...Map.groupBy(entries.map(toFound), ({ intent }) => intent.key)];
      const groups: ResolvedKey[] = [];
      for (const [key, intents] of keys) {
        groups.push(await resolveKey(bucket, { key, intents, isAll: !beside.has(stem), now }, call));
      }
      return groups;
    } catch (error) {
      if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
      problems.push(error);
      return [{ ...NOTHING_RESOLVED, open: error instanceof UnreadableIntent ? entries : [] }];
    }
  });
  const groups = resolved.flat();
  return {
    events: groups.flatMap(({ events }) => events),
    settled: groups.flatMap(({ settled }) => settled),
    undone: groups.flatMap(({ undone }) => undone),
    unresolved: groups.flatMap(({ unresolved }) => unresolved),
    open: groups.flatMap(({ open }) => open),
    problems,
    next: next[0]?.name,
  };
}

export async function removeIntents(
  bucket: Bucket,
  { settled, undone, unresolved }: Pick<IntentPage, 'settled' | 'undone' | 'unresolved'>,
  call: Call,
): Promise<void> {
  // A change that is tried again writes its intent anew: that one stays.
  const asListed = ({ name, revision }: BlobEntry): RemoveItem => ({ name, revision });
  // Those go first that would pass for made without the others.
  await removeAll(bucket, undone.map(asListed), call);
  // What is settled of a version's own blob is only confirmed, perhaps while it was told. It goes in either state, or
  // it would be told again.
  const told = settled.map((entry) =>
    decodeIntent(entry.metadata).version === undefined ? asListed(entry) : { name: entry.name },
  );
  await removeAll(bucket, [...told, ...unresolved.map(asListed)], call);
}

async function removeAll({ home }: Bucket, items: readonly RemoveItem[], call: Call): Promise<void> {
  for (let first = 0; first < items.length; first += REMOVALS) {
    await removeForGood(home, items.slice(first, first + REMOVALS), call);
  }
}

/** Removals in one call. */
const REMOVALS = 256;

type ResolvedKey = Omit<IntentPage, 'problems' | 'next'>;

const NOTHING_RESOLVED: ResolvedKey = { events: [], settled: [], undone: [], unresolved: [], open: [] };

interface IntentsOfKey {
  readonly key: string;
  readonly intents: readonly FoundIntent[];
  /** The listing cannot have cut any of them off. */
  readonly isAll: boolean;
  readonly now: number;
}

async function resolveKey(
  bucket: Bucket,
  { key, intents, isAll, now }: IntentsOfKey,
  call: Call,
): Promise<ResolvedKey> {
  let all = isAll && intents.length <= MOST_OF_ONE_LISTING ? intents : await listKey({ bucket, key }, call);
  let looks: Looks = new Map();
  let committed = await findCommitted({ bucket, key }, { intents: all, looks }, call);
  for (let looked = 1; committed.length < all.length && committed.some(beganAnew); looked += 1) {
    // What proves the older ones is a removal between, which may have been announced since.
    const now = await listKey({ bucket, key }, call);
    if (isSame(all, now)) break;
    const isLast = looked === MOST_LOOKS;
    const unseen = isLast ? newRemovals(all, now) : [];
    all = now;
    // What a later look proves may rest on changes that are not in this list either: so lists are to be the same before
    // and after a look. Of a key that changes all the time, the last look stays.
    if (!isLast) looks = new Map();
    committed = toldBefore(unseen, await findCommitted({ bucket, key }, { intents: all, looks }, call));
    if (isLast) break;
  }
  const events = committed.flatMap(({ intent }) => eventsOf(intent)).sort(inHistory);
  const settled = new Set(committed.map(({ entry }) => entry));
  const undone = new Set(
    undoneOf(
      all.filter(({ intent }) => intent.version === undefined),
      looks.get(undefined) ?? [],
    ).map(({ entry }) => entry),
  );
  const others = all.map(({ entry }) => entry).filter((entry) => !settled.has(entry) && !undone.has(entry));
  const isOver = ({ lastModified }: BlobEntry): boolean => lastModified < now - UNRESOLVED_AFTER_MS;
  return {
    events,
    settled: [...settled],
    undone: [...undone].filter((entry) => !settled.has(entry)),
    unresolved: others.filter(isOver),
    open: others.filter((entry) => !isOver(entry)),
  };
}

/**
 * Removals that are newer than the look. To a look that is older than what a removal saw, the object seems to be gone:
 * so they prove what they saw, and nothing is said of themselves.
 */
function newRemovals(earlier: readonly FoundIntent[], now: readonly FoundIntent[]): readonly FoundIntent[] {
  const known = new Set(earlier.map(nameOfState));
  return now.filter((one) => one.intent.leavesNothing === true && !known.has(nameOfState(one)));
}

/** Of committed changes those that are told before others of which nothing can be said yet. */
function toldBefore(others: readonly FoundIntent[], committed: readonly FoundIntent[]): FoundIntent[] {
  const [first] = others.flatMap((one) => placeOf(one) ?? []).sort();
  return committed.filter((one) => !others.includes(one) && (first === undefined || (placeOf(one) ?? first) < first));
}

/** Where an event of a change stands in the history of the key; undefined: it has none. */
function placeOf({ intent: { events = [] } }: FoundIntent): string | undefined {
  return events[0]?.sequencer;
}

function isSame(one: readonly FoundIntent[], other: readonly FoundIntent[]): boolean {
  const known = new Set(one.map(nameOfState));
  return one.length === other.length && other.every((intent) => known.has(nameOfState(intent)));
}

function nameOfState({ entry: { name, revision } }: FoundIntent): string {
  return `${name} ${revision}`;
}

/** The intents of each blob by themselves: of the head, and of each version's own blob. */
async function findCommitted(
  place: KeyRef,
  { intents, looks }: { readonly intents: readonly FoundIntent[]; readonly looks: Looks },
  call: Call,
): Promise<FoundIntent[]> {
  const byBlob = [...Map.groupBy(intents, ({ intent }) => intent.version)];
  const committed = await mapConcurrent(byBlob, BLOBS_OF_KEY, async ([token, own]) => {
    const nonces = looks.get(token) ?? (await noncesAt(place, token, call));
    looks.set(token, nonces);
    return committedOf(own, nonces);
  });
  const described = new Set(intents.flatMap(({ intent }) => intent.version ?? []));
  const known = new Set(committed.flat());
  return intents.filter((one) => known.has(one) || makesOneOf(one, described));
}

/** Of a version something can be said only when it was made: that is told first. */
function makesOneOf({ intent: { events = [] } }: FoundIntent, described: ReadonlySet<string>): boolean {
  return events.some(({ name, versionId = '' }) => name.startsWith('ObjectCreated:') && described.has(versionId));
}

/** What blobs of a key were seen to carry: the head (undefined), and versions' own ones. */
type Looks = Map<VersionToken | undefined, readonly string[]>;

/** @param token undefined: of the head */
async function noncesAt(place: KeyRef, token: VersionToken | undefined, call: Call): Promise<readonly string[]> {
  if (token === undefined) return noncesOf(await readHead(place, call));
  const version = await readVersion(place, token, call);
  return version === undefined ? [] : noncesOfOwn(amendmentsOf(version));
}

function beganAnew({ intent }: FoundIntent): boolean {
  return intent.seen[0] === NOTHING;
}

async function listKey({ bucket, key }: KeyRef, call: Call): Promise<FoundIntent[]> {
  const { store, system } = bucket.home;
  const found: FoundIntent[] = [];
  for await (const page of pagesOf(store, system, { prefix: intentsOfKey({ bucket, key }) }, call)) {
    found.push(...blobsOf(page).map(toFound));
  }
  // Names of very long keys are cut: they may share a beginning.
  return found.filter(({ intent }) => intent.key === key);
}

/** @throws UnreadableIntent */
function toFound(entry: BlobEntry): FoundIntent {
  return { entry, intent: decode(entry), lastModified: entry.lastModified };
}

function decode({ name, metadata }: BlobEntry): ChangeIntent {
  try {
    return decodeIntent(metadata);
  } catch (error) {
    throw new UnreadableIntent(`${name} cannot be read: events of its key wait`, { cause: error });
  }
}

function inHistory(one: ObjectEvent, other: ObjectEvent): number {
  if (one.sequencer === other.sequencer) return 0;
  return one.sequencer < other.sequencer ? -1 : 1;
}
