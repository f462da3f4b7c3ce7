import { compareUtf8 } from '../../store/name-order.ts';

/** The prefixes that reach all keys which any of the given ones reaches, in the order of listings, none twice. */
export function coverOf(prefixes: Iterable<string>): string[] {
  const cover: string[] = [];
  for (const prefix of [...new Set(prefixes)].sort(compareUtf8)) {
    const last = cover.at(-1);
    if (last === undefined || !prefix.startsWith(last)) cover.push(prefix);
  }
  return cover;
}

/**
 * The prefix to be listed next. Rules may have changed since the last page: a prefix that is not among them any more,
 * nor within another, is left.
 * @param now the prefix that is being listed; absent: none was yet @param isDone all of it was
 */
export function prefixAfter(cover: readonly string[], now: string | undefined, isDone: boolean): string | undefined {
  if (now === undefined) return cover[0];
  const within = isDone ? undefined : cover.find((prefix) => now.startsWith(prefix));
  return within ?? cover.find((prefix) => compareUtf8(prefix, now) > 0 && !prefix.startsWith(now));
}
