import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { RequestSummary } from '../../../inspector/contract.ts';
import { REQUEST_FIELDS } from '../../../inspector/request-fields.ts';
import type { App } from '../app.ts';
import { isFiltered } from '../filter.ts';
import { formatBytes, formatDuration, formatTime, plural } from '../format.ts';
import { writeRoute } from '../route.ts';
import { detailView } from './detail.ts';
import { fieldColumns } from './field-facts.ts';
import { filterBar, lackNotices } from './filter-bar.ts';
import { addressText, outcomeBadge, timeText, type View } from './parts.ts';
import { whenLoaded } from './loaded.ts';

/** Behind the columns that are worked out, those that show a field as it is. */
const COLUMNS = fieldColumns(REQUEST_FIELDS);

/** The live list, and beside it the request that is open. */
export function listPage(app: App): View {
  return html`${filterBar(app)}${lackNotices(app)}
    <div class="split" ?data-open=${app.open !== undefined}>
      <section class="requests" aria-label="Requests">${requestTable(app)}</section>
      ${app.open === undefined ? nothing : openRequest(app)}
    </div>`;
}

function openRequest(app: App): View {
  const { detail, open } = app;
  return html`<article class="detail" aria-label="Request" aria-busy=${detail.value?.summary.href === open ? 'false' : 'true'}>
    <button type="button" class="plain close" @click=${() => app.close()} aria-label="Close" title="Close (Esc)">×</button>
    ${whenLoaded(detail.loaded, (value) => detailView(app, value))}
  </article>`;
}

function requestTable(app: App): View {
  const { requests } = app.list;
  if (requests.length === 0) return emptyList(app);
  const shown = requests.slice(0, app.rows);
  const reachable = shown.some(({ href }) => href === app.cursor) ? app.cursor : shown[0]?.href;
  return html`<table class="dense">
    <caption class="unseen">Requests, newest first</caption>
    <thead><tr>
      <th scope="col" class="time">Time</th><th scope="col" class="status">Status</th><th scope="col">Operation</th><th scope="col" class="address">Bucket and key</th>
      <th scope="col" class="who">Identity</th><th scope="col" class="replica">Replica</th><th scope="col" class="number">Duration</th>
      ${COLUMNS.map(({ label, classes }) => html`<th scope="col" class=${classes}>${label}</th>`)}
    </tr></thead>
    <tbody>${repeat(
      shown,
      ({ href }) => href,
      (request) => row(app, request, request.href === reachable),
    )}</tbody>
  </table>
  ${requests.length > shown.length ? moreButton(app, requests.length - shown.length) : olderButton(app, requests.at(-1))}`;
}

function moreButton(app: App, count: number): View {
  return html`<p class="more"><button type="button" @click=${() => app.showMore()}>Show more</button> <span class="quiet">${plural(count, 'more request')}</span></p>`;
}

/** Replicas keep more than a list begins with. Those that came in the same millisecond come again. */
function olderButton(app: App, oldest: RequestSummary | undefined): View {
  if (oldest === undefined) return nothing;
  const older = (): void => app.setField('before', String(oldest.arrived + 1));
  return html`<p class="more"><button type="button" @click=${older}>Older requests</button> <span class="quiet">as far as they are kept</span></p>`;
}

function row(app: App, request: RequestSummary, reachable: boolean): View {
  const open = request.href === app.open;
  const focused = (): void => {
    app.cursor = request.href;
  };
  const opened = (): void => {
    app.focusWanted = request.href;
  };
  return html`<tr class=${request.outcome} aria-selected=${open ? 'true' : nothing}>
    <td class="time">${timeText(request.arrived)}</td>
    <td class="status">${outcomeBadge(request)}</td>
    <td class="operation"><a class="row-link" href=${writeRoute(app.routeTo(request))} data-request=${request.href} tabindex=${reachable ? 0 : -1}
      aria-label=${rowName(request)} aria-current=${open ? 'true' : nothing} @focus=${focused} @click=${opened}>${request.operation ?? request.method}</a>${
        request.code === undefined ? nothing : html` <span class="error-code">${request.code}</span>`
      }
      <span class="clip address under">${addressText(request)}</span></td>
    <td class="address"><span class="clip" title=${request.target}>${addressText(request)}</span></td>
    <td class="who">${request.identity ?? html`<span class="quiet">–</span>`}</td>
    <td class="replica quiet">${request.replica}</td>
    <td class="number duration ${request.slow ? 'slow' : ''}" title=${request.slow ? 'slow' : nothing}>${duration(request)}</td>
    ${COLUMNS.map(({ classes, text }) => html`<td class=${classes}>${text(request, { bytes: size })}</td>`)}
  </tr>`;
}

/** What a screen reader says of a row: one link stands for all of it. */
function rowName({ operation, method, bucket, key, status, outcome, code, arrived }: RequestSummary): string {
  const address = [bucket, key].filter((part) => part !== undefined).join('/');
  return [operation ?? method, address, status ?? outcome, code, formatTime(arrived)]
    .filter((part) => part !== undefined && part !== '')
    .join(', ');
}

/** While running it grows; the clocks of browser and server may differ. */
function duration({ outcome, durationMs, arrived }: RequestSummary): string {
  return formatDuration(outcome === 'running' ? Math.max(durationMs, Date.now() - arrived) : durationMs);
}

function size(bytes: number): View {
  return bytes === 0 ? html`<span class="quiet">–</span>` : formatBytes(bytes);
}

function emptyList(app: App): View {
  if (app.connection === 'connecting') return html`<p class="empty quiet">Connecting…</p>`;
  return html`<div class="empty quiet">
    <p>${isFiltered(app.filter) ? 'No request kept fits this filter.' : 'No request yet.'} New ones appear here as they come.</p>
    ${isFiltered(app.filter) ? html`<button type="button" @click=${() => app.setFilter({})}>Show all</button>` : nothing}
  </div>`;
}
