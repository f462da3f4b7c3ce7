import { html, nothing } from 'lit-html';
import type { Overview, OverviewRow, RowName, TableName } from '../../../inspector/contract.ts';
import type { Filter } from '../filter.ts';
import { formatBytes, formatCount, formatDuration } from '../format.ts';
import { writeRoute } from '../route.ts';
import { scrollingTable, type View } from './parts.ts';

/** Rows that a table shows; all that it knows are in the API. */
const SHOWN = 12;

interface NameTable {
  readonly title: string;
  /** Parts of a name, each a column, and what stands where a request has none. */
  readonly parts: Readonly<Partial<Record<keyof RowName, readonly [heading: string, none: string]>>>;
  readonly figures: readonly Figure[];
  /** Further filters of the requests that a row stands for. */
  readonly filter?: Filter;
}

interface Figure {
  readonly heading: string;
  readonly text: (row: OverviewRow) => string;
}

const REQUESTS: Figure = { heading: 'Requests', text: ({ requests }) => formatCount(requests) };
const FAILURES: Figure = { heading: 'Failures', text: ({ failures }) => formatCount(failures) };
const SLOW: Figure = { heading: 'Slow', text: ({ slow }) => formatCount(slow) };
const MEAN: Figure = { heading: 'Mean time', text: ({ ownMs, requests }) => formatDuration(ownMs / requests) };
const BYTES_IN: Figure = { heading: 'In', text: ({ bytesIn }) => formatBytes(bytesIn) };
const BYTES_OUT: Figure = { heading: 'Out', text: ({ bytesOut }) => formatBytes(bytesOut) };
const ALL = [REQUESTS, FAILURES, SLOW, MEAN, BYTES_IN, BYTES_OUT];

const TABLES: Readonly<Record<TableName, NameTable>> = {
  operations: { title: 'Operations', parts: { operation: ['Operation', ''] }, figures: ALL },
  buckets: { title: 'Top buckets', parts: { bucket: ['Bucket', 'no bucket'] }, figures: ALL },
  identities: { title: 'Identities', parts: { identity: ['Identity', 'not verified'] }, figures: ALL },
  codes: { title: 'Errors', parts: { code: ['Code', ''] }, figures: [REQUESTS, MEAN] },
  refused: {
    title: 'Top refused',
    parts: { code: ['Code', ''], identity: ['Identity', 'not named'], bucket: ['Bucket', 'no bucket'] },
    figures: [REQUESTS],
  },
  slow: {
    title: 'Top slow',
    parts: { operation: ['Operation', ''], bucket: ['Bucket', 'no bucket'] },
    figures: [REQUESTS, MEAN],
    filter: { slow: 'true' },
  },
};

/** By operation, bucket, identity and code; each row leads to its requests. */
export function nameTables(overview: Overview): View {
  const names = Object.keys(TABLES) as TableName[];
  return html`<div class="grid">${names.map((name) => tableCard(overview, name))}</div>`;
}

function tableCard({ tables, times }: Overview, name: TableName): View {
  const { title, parts, figures, filter = {} } = TABLES[name];
  const { rows } = tables[name];
  const columns = Object.entries(parts) as [keyof RowName, readonly [string, string]][];
  const since = String(times[0] ?? 0);
  const line = (row: OverviewRow): View => html`<tr>
    ${
      row.name === null
        ? html`<th scope="row" colspan=${columns.length} class="quiet">others</th>`
        : columns.map(([part, [, none]], index) => nameCell(row, { part, none, isFirst: index === 0, filter, since }))
    }
    ${figures.map(({ text }) => html`<td class="number">${text(row)}</td>`)}
  </tr>`;
  return html`<section class="card" aria-label=${title}>
    <h3>${title}</h3>
    ${
      rows.length === 0
        ? html`<p class="quiet">None.</p>`
        : scrollingTable(
            title,
            html`<table class="dense">
              <thead><tr>${columns.map(([, [heading]]) => html`<th scope="col">${heading}</th>`)}${figures.map(({ heading }) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
              <tbody>${shownRows(rows).map(line)}</tbody>
            </table>`,
          )
    }
  </section>`;
}

function shownRows(rows: readonly OverviewRow[]): readonly OverviewRow[] {
  const named = rows.filter(({ name }) => name !== null).slice(0, SHOWN);
  return [...named, ...rows.filter(({ name }) => name === null)];
}

interface Cell {
  readonly part: keyof RowName;
  readonly none: string;
  readonly isFirst: boolean;
  readonly filter: Filter;
  readonly since: string;
}

/** The first one is a link to the requests of the row. */
function nameCell({ name }: OverviewRow, { part, none, isFirst, filter, since }: Cell): View {
  const text = name?.[part] ?? '';
  const shown = text === '' ? html`<span class="quiet">${none}</span>` : text;
  if (!isFirst) return html`<td title=${text === '' ? nothing : text}>${shown}</td>`;
  const given = Object.fromEntries(Object.entries(name ?? {}).filter(([, value]) => value !== ''));
  return html`<th scope="row"><a href=${writeRoute({ view: 'requests', filter: { ...filter, ...given, since } })}>${shown}</a></th>`;
}
