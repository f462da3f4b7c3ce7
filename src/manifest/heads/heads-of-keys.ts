import type { Call } from '../../observe/call.ts';
import type { BlobEntry, BlobRef } from '../../store/blob-store.ts';
import { nameComparator } from '../../store/name-order.ts';
import { isStoreError } from '../../store/store-error.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { Bucket } from '../records/bucket.ts';
import { type Head, type SeenHead, parseHead } from './head.ts';
import { codecOf } from '../records/names.ts';

/** Fewer keys are looked up one by one. */
const WORTH_A_LISTING = 8;
/** Keys that a list call must save looking up, or the heads between them are too many to be listed. */
const KEYS_A_PAGE = 40;
const PAGE = 1000;

/**
 * Heads by key, undefined for a key that has none. Left out: heads that this release cannot read. Spilled records are
 * not read.
 */
export type HeadsByKey = ReadonlyMap<string, Head | undefined>;

/**
 * The heads of many keys that stand close together: one list call for hundreds of them where it can be, else a
 * call for each. All are read after this is called.
 * @param keys in their own order
 * @throws StoreError containerNotFound, when a listing shows it: a call for one head may not
 */
export async function headsOfKeys(
  bucket: Bucket,
  keys: readonly string[],
  { concurrency }: { concurrency: number },
  call: Call,
): Promise<HeadsByKey> {
  const heads = new Map<string, Head | undefined>();
  if (keys.length >= WORTH_A_LISTING) {
    await listHeads(bucket, { keys, keysAPage: KEYS_A_PAGE, pageSize: PAGE }, heads, call);
  }
  const missing = keys.filter((key) => !heads.has(key));
  await mapConcurrent(missing, concurrency, async (key) => {
    try {
      heads.set(key, await headOfKey(bucket, key, call));
    } catch (error) {
      if (isStoreError(error)) throw error;
    }
  });
  return heads;
}

/**
 * The heads of those keys that lie side by side in a listing of at most two pages, each with as many names as there are
 * keys. The caller reads the missing ones itself. Heads whose records have an overflow blob are left out, too.
 */
export async function headsSideBySide(bucket: Bucket, keys: readonly string[], call: Call): Promise<HeadsByKey> {
  const heads = new Map<string, Head | undefined>();
  if (keys.length < WORTH_A_LISTING) return heads;
  const pageSize = Math.min(PAGE, keys.length + WORTH_A_LISTING);
  await listHeads(bucket, { keys, keysAPage: Math.ceil(keys.length / 2), pageSize }, heads, call);
  for (const [key, head] of heads) if (head?.record !== undefined && 'overflow' in head.record) heads.delete(key);
  return heads;
}

/** The head of a key, if a listing has shown it, or that there is none. */
export function listedHead(listing: HeadsByKey | undefined, key: string): SeenHead | undefined {
  return listing?.has(key) === true ? { head: listing.get(key), trust: 'listed' } : undefined;
}

/** One call. */
export async function headOfKey({ home }: Bucket, key: string, call: Call): Promise<Head | undefined> {
  const ref = { container: home.container, name: codecOf(home.store).encode(key).name };
  try {
    return parseHead(ref, await home.store.head(ref, call));
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Enters those that a few list calls reach. Escaped names stand elsewhere: they are for the caller. */
async function listHeads(
  { home }: Bucket,
  {
    keys,
    keysAPage,
    pageSize,
  }: { readonly keys: readonly string[]; readonly keysAPage: number; readonly pageSize: number },
  heads: Map<string, Head | undefined>,
  call: Call,
): Promise<void> {
  const { store, container } = home;
  const compare = nameComparator(store.capabilities.nameOrder);
  const plain = keys
    .map((key) => codecOf(store).encode(key))
    .filter(({ region }) => region === 'plain')
    .map(({ name }) => name)
    .sort(compare);
  const [first] = plain;
  const last = plain.at(-1);
  if (first === undefined || last === undefined) return;
  const wanted = new Set(plain);
  const found = new Map<string, Head | undefined>();
  let reach = last; // unless the last page that is read ends before it
  let budget = Math.ceil(plain.length / keysAPage);
  for await (const page of pagesOf(store, container, { startAt: first, pageSize }, call)) {
    for (const entry of blobsOf(page)) {
      if (wanted.has(entry.name)) found.set(entry.name, tryParse({ container, name: entry.name }, entry));
    }
    const end = page.at(-1)?.name ?? first;
    if (compare(end, last) >= 0) break;
    if (--budget === 0) {
      reach = end;
      break;
    }
  }
  for (const name of plain) {
    const isReadable = !found.has(name) || found.get(name) !== undefined;
    if (compare(name, reach) <= 0 && isReadable) heads.set(name, found.get(name)); // a plain name is the key itself
  }
}

function tryParse(ref: BlobRef, entry: BlobEntry): Head | undefined {
  try {
    return parseHead(ref, entry);
  } catch {
    return undefined; // looked up by itself, and left out then
  }
}
