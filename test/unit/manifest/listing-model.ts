import type { ListedEntry, ListingRequest } from '../../../src/manifest/listing.ts';

/** `o:` and a key, or `p:` and a rolled-up prefix: an entry of a listing as one comparable text. */
export function label({ kind, key }: Pick<ListedEntry, 'key'> & { kind: string }): string {
  return `${kind === 'prefix' ? 'p' : 'o'}:${key}`;
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** All that a listing without limit must show, by the definition and from a plain array of keys. */
export function expectedEntries(keys: readonly string[], { prefix, delimiter, after }: Omit<ListingRequest, 'limit'>): string[] {
  const labels = new Set<string>();
  for (const key of [...keys].sort(byBytes)) {
    if (!key.startsWith(prefix)) continue;
    const rest = key.slice(prefix.length);
    const rolledUp = delimiter !== '' && rest.includes(delimiter) ? `${prefix}${rest.split(delimiter)[0] ?? ''}${delimiter}` : undefined;
    const shown = rolledUp ?? key;
    if (byBytes(shown, after) <= 0) continue;
    if (rolledUp !== undefined && after.startsWith(rolledUp)) continue;
    labels.add(rolledUp === undefined ? `o:${key}` : `p:${rolledUp}`);
  }
  return [...labels];
}
