import type { FieldTable, Kept, PartOf } from './field-table.ts';

/**
 * Makes a function for each of these objects of the API's JSON. It takes what the journal keeps and returns the fields
 * whose rows name the object (`json`), without those that are undefined.
 */
export function partsOf<Table extends FieldTable, Part extends string>(
  table: Table,
  parts: readonly Part[],
): { readonly [P in Part]: (kept: Kept<Table>) => PartOf<Table, P> } {
  const entries = parts.map((part) => {
    const names = Object.keys(table).filter((name) => table[name]?.json?.includes(part) === true);
    const take = (kept: Readonly<Record<string, unknown>>): Record<string, unknown> => {
      const taken: Record<string, unknown> = {};
      for (const name of names) if (kept[name] !== undefined) taken[name] = kept[name];
      return taken;
    };
    return [part, take] as const;
  });
  return Object.fromEntries(entries) as never;
}
