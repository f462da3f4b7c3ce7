import fc from 'fast-check';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { createListing, type ListedEntry, type ListingRequest } from '../../../src/manifest/listing/listing.ts';
import { testCall } from '../../support/test-call.ts';
import { anyKey, anyText } from '../../unit/store/arbitrary-keys.ts';

/** `o:` and a key, or `p:` and a rolled-up prefix: an entry of a listing as one comparable text. */
export function label({ kind, key }: Pick<ListedEntry, 'key'> & { kind: string }): string {
  return `${kind === 'prefix' ? 'p' : 'o'}:${key}`;
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** All that a listing without limit must show, by the definition and from a plain array of keys. */
export function expectedEntries(
  keys: readonly string[],
  { prefix, delimiter, after }: Omit<ListingRequest, 'limit'>,
): string[] {
  const labels = new Set<string>();
  for (const key of [...keys].sort(byBytes)) {
    if (!key.startsWith(prefix)) continue;
    const rest = key.slice(prefix.length);
    const rolledUp =
      delimiter !== '' && rest.includes(delimiter)
        ? `${prefix}${rest.split(delimiter)[0] ?? ''}${delimiter}`
        : undefined;
    const shown = rolledUp ?? key;
    if (byBytes(shown, after) <= 0) continue;
    if (rolledUp !== undefined && after.startsWith(rolledUp)) continue;
    labels.add(rolledUp === undefined ? `o:${key}` : `p:${rolledUp}`);
  }
  return [...labels];
}

/** All pages, each begun where the one before ended. */
export async function walkPages(bucket: Bucket, request: ListingRequest): Promise<ListedEntry[][]> {
  const listing = createListing();
  const pages: ListedEntry[][] = [];
  for (let after: string | undefined = request.after; after !== undefined; ) {
    const page = await listing.objects(bucket, { ...request, after }, testCall());
    pages.push([...page.entries]);
    after = page.next;
    if (pages.length > 1000) throw new Error('the listing does not end');
  }
  return pages;
}

const DELIMITERS = [
  '',
  '/',
  'a',
  '.',
  '~',
  's',
  '3',
  '0',
  'Z',
  ' ',
  '%',
  '//',
  'ab',
  '/.',
  'é',
  '\u0001',
  '\\',
  '\u{1f600}',
  '\uffff',
  '\u{10ffff}',
];

/** Keys with common beginnings, and a question about them that meets them often. */
export const scenario = fc
  .tuple(fc.array(anyText, { maxLength: 3 }), fc.array(anyKey, { minLength: 1, maxLength: 25 }))
  .map(([stems, keys]) => keys.map((key, i) => (stems[i % 4] ?? '') + key))
  .chain((keys) => {
    const part = fc
      .tuple(fc.constantFrom(...keys), fc.nat({ max: 6 }))
      .map(([key, length]) => Array.from(key).slice(0, length).join(''));
    return fc.record({
      keys: fc.constant(keys),
      prefix: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 3, arbitrary: part }, anyText),
      delimiter: fc.constantFrom(...DELIMITERS),
      after: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(...keys), part, anyText),
      limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(7, 1000)),
      maxListPage: fc.constantFrom(2, 3, 1000),
      emptyPages: fc.boolean(),
    });
  });
