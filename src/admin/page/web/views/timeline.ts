import { html, nothing } from 'lit-html';
import type { Timeline, TimelineEntry } from '../../../inspector/contract.ts';
import type { App } from '../app.ts';
import { formatDay, formatDuration } from '../format.ts';
import { writeRoute } from '../route.ts';
import { outcomeBadge, revision, scrollingTable, timeText, type View } from './parts.ts';
import { whenLoaded } from './loaded.ts';

/** What happened to one key, or to one upload, on all replicas, oldest first. */
export function timelinePage(app: App): View {
  return html`<section class="page" aria-label="Timeline">${whenLoaded(app.timeline.loaded, timelineView)}</section>`;
}

function timelineView({ bucket, key, uploadId, entries, replicas }: Timeline): View {
  const missing = replicas.filter(({ up }) => !up);
  return html`
    <h2>${uploadId === undefined ? html`Timeline of <code>${bucket}/${key}</code>` : html`Timeline of upload <code>${uploadId}</code>`}</h2>
    ${bucket !== undefined && key !== undefined ? html`<p><a href=${writeRoute({ view: 'object', bucket, key })}>The object as it is now</a></p>` : nothing}
    ${missing.length === 0 ? nothing : html`<p class="callout warn">Without ${missing.map(({ id }) => id).join(', ')}: not reached.</p>`}
    ${entries.length === 0 ? html`<p class="quiet">No request kept touched it.</p>` : entryTable(entries)}`;
}

function entryTable(entries: readonly TimelineEntry[]): View {
  return scrollingTable(
    'Requests, oldest first',
    html`<table class="dense">
    <thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col">Operation</th><th scope="col">Head before</th><th scope="col">Head after</th>
      <th scope="col">Identity</th><th scope="col">Replica</th><th scope="col" class="number">Duration</th></tr></thead>
    <tbody>${entries.map(entryRow)}</tbody>
  </table>`,
  );
}

function entryRow({ request, head }: TimelineEntry, index: number, all: readonly TimelineEntry[]): View {
  const previous = all[index - 1];
  const newDay =
    previous === undefined ||
    new Date(previous.request.arrived).toDateString() !== new Date(request.arrived).toDateString();
  return html`${newDay ? html`<tr class="day"><th scope="rowgroup" colspan="8">${formatDay(request.arrived)}</th></tr>` : nothing}
    <tr class=${request.outcome}><td>${timeText(request.arrived)}</td><td>${outcomeBadge(request)}</td>
      <td><a href=${writeRoute({ view: 'requests', filter: {}, open: request.href })}>${request.operation ?? request.method}</a>${
        request.code === undefined ? nothing : html` <span class="error-code">${request.code}</span>`
      }</td>
      <td>${revision(head.before)}</td><td>${revision(head.after)}</td>
      <td>${request.identity ?? '–'}</td><td class="quiet">${request.replica}</td><td class="number">${formatDuration(request.durationMs)}</td></tr>`;
}
