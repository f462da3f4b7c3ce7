import { html } from 'lit-html';
import type { DetailSection, FieldRow, ShownFieldTable, Show } from '../../../inspector/field-table.ts';
import { formatBytes, formatDuration } from '../format.ts';
import { code, dateText, type Fact, type View } from './parts.ts';

type Shown = View | number | undefined;

/** How a page writes the values of fields, by what their rows say (`Show`). */
const WRITERS: Readonly<Record<Extract<Show, string>, (value: never) => Shown>> = {
  plain: (value: string | number) => value,
  code: (value: string) => code(value),
  bytes: (value: number) => bytesText(value),
  date: (value: number) => dateText(value),
  since: (value: number) => `after ${formatDuration(value)}`,
  duration: (value: number) => formatDuration(value),
  trace: (value: string) => code(value),
};

/**
 * The facts that the rows of a table put into one section of the page about a request, in the order of the table.
 * @param values of the API's JSON, by the names of the fields; what is not there is left out
 * @param own what this page writes in another way than usual
 */
export function fieldFacts(
  table: ShownFieldTable,
  section: DetailSection,
  values: object,
  own: Partial<typeof WRITERS> = {},
): Fact[] {
  const known = values as Readonly<Record<string, unknown>>;
  return Object.entries(table).flatMap(([name, { detail }]: [string, FieldRow]): Fact[] => {
    if (detail?.[0] !== section || known[name] === undefined) return [];
    const [, label, show] = detail;
    return [[label, written(show, known[name] as never, own)]];
  });
}

/** A column of the list of requests, by the row of its field. */
interface Column {
  readonly label: string;
  readonly classes: string;
  /** @param own what this list writes in another way than usual */
  readonly text: (values: object, own: Partial<typeof WRITERS>) => Shown;
}

/** The columns that the rows of a table ask for, in the order of the table. */
export function fieldColumns(table: ShownFieldTable): Column[] {
  return Object.entries(table).flatMap(([name, { column }]: [string, FieldRow]): Column[] => {
    if (column === undefined) return [];
    const { show, ...shown } = column;
    const text: Column['text'] = (values, own) => written(show, (values as Record<string, never>)[name] as never, own);
    return [{ ...shown, text }];
  });
}

function written(show: Show, value: never, own: Partial<typeof WRITERS>): Shown {
  if (typeof show !== 'string') return show[value];
  return (own[show] ?? WRITERS[show])(value);
}

function bytesText(count: number): View {
  return count < 1024
    ? formatBytes(count)
    : html`${formatBytes(count)} <span class="quiet">${count.toLocaleString()} bytes</span>`;
}
