import type { Page } from './calls.ts';

export interface PageOf<T> {
  readonly entries: readonly T[];
  readonly prefixes: readonly string[];
  readonly isTruncated: boolean;
  /** Absent when the page is empty. */
  readonly last?: { readonly prefix: string } | { readonly item: T };
}

interface PageRequest<T> extends Page {
  /** Whether the item stands before the place where the page begins, or at it. */
  readonly isBehind: (item: T) => boolean;
  /** Where the page begins, as a key: what rolls up to a prefix of it was listed already. */
  readonly marker: string;
}

const MAX_PAGE = 1000;

/**
 * One page of what all listings of S3 are: items in order, those that have the delimiter behind the prefix rolled up.
 */
export function paginate<T extends { readonly key: string }>(items: readonly T[], request: PageRequest<T>): PageOf<T> {
  const { prefix = '', delimiter = '', limit = MAX_PAGE, marker, isBehind } = request;
  const all: NonNullable<PageOf<T>['last']>[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    if (!item.key.startsWith(prefix) || isBehind(item)) continue;
    const found = delimiter === '' ? -1 : item.key.indexOf(delimiter, prefix.length);
    if (found < 0) {
      all.push({ item });
      continue;
    }
    const rolledUp = item.key.slice(0, found + delimiter.length);
    if (seen.has(rolledUp) || marker.startsWith(rolledUp)) continue;
    seen.add(rolledUp);
    all.push({ prefix: rolledUp });
  }
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown.flatMap((entry) => ('item' in entry ? [entry.item] : [])),
    prefixes: shown.flatMap((entry) => ('prefix' in entry ? [entry.prefix] : [])),
    isTruncated: limit > 0 && all.length > shown.length,
    ...(last !== undefined && { last }),
  };
}

/** The order of all listings: by UTF-8 bytes. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
